"""Variables in a Dockerfile word, as the builder fills them in (Dockerfile reference, "Environment replacement").

BuildKit's ``frontend/dockerfile/shell`` knows ``$A``, ``${A}``, ``${A:-b}``, ``${A-b}``, ``${A:+b}``, ``${A+b}``,
``${A:?m}``, ``${A?m}``, ``${A#p}``, ``${A##p}``, ``${A%p}``, ``${A%%p}``, ``${A/p/r}`` and ``${A//p/r}``; single
quotes keep everything, an escape keeps the next character.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.dockerfile_lines import cut
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given, Reference, SourceText

_CHOICE = re.compile(r":?[-+?]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLATFORM_ARGS = frozenset(
    f"{side}{part}" for side in ("TARGET", "BUILD") for part in ("PLATFORM", "OS", "ARCH", "VARIANT", "OSVERSION")
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The variables in force: a Word, or None for one that is declared without a value."""

    values: Mapping[str, Word | None]
    escape: str = "\\"


def split_words(text: SourceText, escape: str = "\\") -> list[SourceText]:
    """The words of ``text`` at unquoted blanks, quotes and escapes left in place."""
    raw = text.text
    found: list[SourceText] = []
    start: int | None = None
    quote = ""
    index = 0
    while index < len(raw):
        char = raw[index]
        if not quote and char in " \t\n\r":
            if start is not None:
                found.append(cut(text, [(start, index)]))
                start = None
            index += 1
            continue
        if start is None:
            start = index
        if char == escape and quote != "'":
            index += 1
        elif char in "\"'" and not quote:
            quote = char
        elif char == quote:
            quote = ""
        index += 1
    if start is not None:
        found.append(cut(text, [(start, len(raw))]))
    return found


def expand(text: SourceText, scope: Scope, quotes: bool = True) -> Word:
    """``text`` with variables filled in, quotes and escapes removed (``quotes`` False: kept, as in a here-document)."""
    references: list[Reference] = list(text.references())
    raw = text.text
    out: list[str] = []
    quote = ""
    index = 0
    while index < len(raw):
        char = raw[index]
        if char == scope.escape and quote != "'" and index + 1 < len(raw):
            following = raw[index + 1]
            kept = quote == '"' and following not in ('"', "$", scope.escape)
            out.append((char if kept or (not quotes and following != "$") else "") + following)
            index += 2
        elif quotes and char in "\"'" and (not quote or quote == char):
            quote = "" if quote else char
            index += 1
        elif char == "$" and quote != "'":
            given, index = _reference(text, index, scope, references)
            out.append(given)
        else:
            out.append(char)
            index += 1
    return Word("".join(out), text.place(0), tuple(references))


def _reference(text: SourceText, index: int, scope: Scope, references: list[Reference]) -> tuple[str, int]:
    """What the reference at ``index`` becomes, and where the text goes on."""
    raw = text.text
    place = text.place(index)
    if raw[index + 1 : index + 2] == "{":
        name = _NAME.match(raw, index + 2)
        end = _closing(raw, index + 2)
        if name is None or end < 0:
            return "$", index + 1
        operation = cut(text, [(name.end(), end)])
        return _operate(name[0], operation, raw[index : end + 1], place, scope, references), end + 1
    name = _NAME.match(raw, index + 1)
    if name is None:
        return "$", index + 1
    empty = cut(text, [(name.end(), name.end())])
    return _operate(name[0], empty, name[0], place, scope, references), name.end()


def _closing(raw: str, index: int) -> int:
    depth = 1
    while index < len(raw):
        if raw[index] == "\\":
            index += 1
        elif raw.startswith("${", index):
            depth += 1
            index += 1
        elif raw[index] == "}":
            depth -= 1
            if not depth:
                return index
        index += 1
    return -1


def _operate(
    name: str, operation: SourceText, written: str, place: Place, scope: Scope, references: list[Reference]
) -> str:
    """The value of ``${name operation}``; records who gave it."""
    value = scope.values.get(name)
    choice = _CHOICE.match(operation.text)
    if value is None and name in _PLATFORM_ARGS:
        references.append(Reference(name, place, Given.UNKNOWN))
        return written
    if choice is None:
        if value is None:
            references.append(Reference(name, place, Given.UNSET))
            return ""
        return _strip_or_replace(_use(name, value, place, references), operation.text)
    is_set = value is not None and (bool(value.text) or choice[0][0] != ":")
    if choice[0][-1] == "?" and not is_set:
        references.append(Reference(name, place, Given.UNKNOWN))
        return written
    if (choice[0][-1] == "+") == is_set:
        other = expand(cut(operation, [(choice.end(), len(operation.text))]), scope)
        references.append(Reference(name, place, Given.ALTERNATE if is_set else Given.DEFAULT, other.place))
        references += other.references
        return other.text
    return _use(name, value, place, references) if value is not None and is_set else ""


def _use(name: str, value: Word, place: Place, references: list[Reference]) -> str:
    references.append(Reference(name, place, Given.FILE, value.place))
    references += value.references
    return value.text


def _strip_or_replace(value: str, sign: str) -> str:
    """``#``, ``##``, ``%``, ``%%``, ``/`` and ``//`` with shell patterns."""
    if not sign or sign[0] not in "#%/":
        return value
    greedy = sign[:2] in ("##", "%%", "//")
    pattern = sign[2 if greedy else 1 :]
    if sign[0] == "/":
        wanted, replacement = [*re.split(r"(?<!\\)/", pattern, maxsplit=1), ""][:2]
        matcher = re.compile(_glob(wanted))
        return matcher.sub(lambda _: replacement, value, count=0 if greedy else 1) if wanted else value
    matcher = re.compile(_glob(pattern))
    ends: Sequence[int] = range(len(value) + 1)
    if sign[0] == "#":
        for end in reversed(ends) if greedy else ends:
            if matcher.fullmatch(value, 0, end):
                return value[end:]
    else:
        for start in ends if greedy else reversed(ends):
            if matcher.fullmatch(value, start):
                return value[:start]
    return value


def _glob(pattern: str) -> str:
    # fnmatch has no escapes: an escaped character becomes a set of one.
    return fnmatch.translate(re.sub(r"\\(.)", r"[\1]", pattern)).removesuffix(r"\Z").removesuffix(r"\z")
