"""Words into options and their values, by the rules of Python's argparse, which vLLM and SGLang both use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.options import Option
from pytest_qwen_mtp.profiles.model import Word

_NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


class Argument(NamedTuple):
    """One word as the parser sees it: its text, which an engine may have rewritten, and the word it came from."""

    text: str
    word: Word


class Given(NamedTuple):
    """One option as given. ``option``: None where no release knows ``string``. ``negative``: its ``--no-`` form."""

    string: str
    option: Option | None
    values: Sequence[Argument]
    word: Word
    negative: bool = False


@dataclass(slots=True)
class Parsed:
    """``strays``: words that belong to no option. ``ambiguous``: abbreviations of several options, with those."""

    given: list[Given] = field(default_factory=list)
    strays: list[Argument] = field(default_factory=list)
    ambiguous: list[tuple[Argument, tuple[str, ...]]] = field(default_factory=list)


def parse(arguments: Sequence[Argument], release: Release) -> Parsed:
    """Reads ``arguments`` left to right. Options that ``release`` lacks take their arity from other releases."""
    parsed = Parsed()
    spellings, given = release.spellings, parsed.given
    index, count = 0, len(arguments)
    while index < count:
        argument = arguments[index]
        text, word = argument
        index += 1
        known = spellings.get(text)
        if known is not None:
            option, most, negative = known
            start = index
            stop = min(start + most, count)
            while index < stop:
                following = arguments[index].text
                if following[:1] == "-" and _is_option(following, release):
                    break
                index += 1
            given.append(Given(text, option, arguments[start:index], word, negative))
        elif text[:1] != "-" or not _is_option(text, release):
            parsed.strays.append(argument)
        elif text == "--":
            parsed.strays.extend(arguments[index:])
            break
        else:
            index = _unusual(parsed, arguments, index, release)
    return parsed


def _unusual(parsed: Parsed, arguments: Sequence[Argument], index: int, release: Release) -> int:
    """Takes the option before ``index`` that is no plain spelling: ``--a=b``, an abbreviation, one nobody knows."""
    argument = arguments[index - 1]
    string, option, explicit, several = _find(argument.text, release)
    if several:
        parsed.ambiguous.append((argument, several))
    values: Sequence[Argument]
    if explicit is not None:
        values = (Argument(explicit, argument.word),)
    else:
        start = index
        stop = min(start + (1 if option is None else option.most_values), len(arguments))
        while index < stop and not _is_option(arguments[index].text, release):
            index += 1
        values = arguments[start:index]
    negative = option is not None and option.action == "boolean" and string not in option.strings
    parsed.given.append(Given(string, option, values, argument.word, negative))
    return index


def _is_option(text: str, release: Release) -> bool:
    if text[:1] != "-" or text == "-":
        return False
    known = release.by_string
    if text in known:
        return True
    head = text.partition("=")[0]
    if head in known or text[:2] in known or release.beginning_with(head):
        return True
    return " " not in text and _NEGATIVE_NUMBER.fullmatch(text) is None


def _find(text: str, release: Release) -> tuple[str, Option | None, str | None, tuple[str, ...]]:
    """The spelling meant, its option, the value behind ``=``, and the options an abbreviation could mean."""
    head, equals, tail = text.partition("=")
    explicit = tail if equals else None
    option = release.by_string.get(head)
    if option is not None:
        return head, option, explicit, ()
    matches = release.beginning_with(head)
    if len(matches) == 1:
        return matches[0], release.by_string[matches[0]], explicit, ()
    if not text.startswith("--") and len(text) > 2:
        short = release.by_string.get(text[:2])
        if short is not None:  # -n2
            return text[:2], short, text[2:], ()
    other = release.elsewhere(head)
    return head, other, explicit, matches if len(matches) > 1 else ()
