"""Which words of a command to change so that a setting has another value.

The words are those that the release's own parser would take; where a value cannot be said in words, the answer is None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_qwen_mtp.engines import catalogue
from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.launcher import launch
from pytest_qwen_mtp.engines.llamacpp import canonical, is_switch
from pytest_qwen_mtp.engines.options import Option
from pytest_qwen_mtp.profiles.model import Engine, Word

_COMMON_OF_LLAMACPP = {
    "speculative.method": "spec_type",
    "speculative.num_speculative_tokens": "spec_draft_n_max",
    "speculative.model": "model_draft",
}
_SHORTCUTS = {
    "speculative.method": "spec_method",
    "speculative.model": "spec_model",
    "speculative.num_speculative_tokens": "spec_tokens",
}
"""vLLM's own options for three keys of ``--speculative-config`` (engine/arg_utils.py where they exist)."""


@dataclass(frozen=True, slots=True)
class Splice:
    """The words from ``start`` up to, not including, ``stop`` become ``words``. ``stop`` None: they are new ones, and
    may stand behind any complete option."""

    start: int
    stop: int | None
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One option as written: the words ``start`` to ``stop``, its spelling, the setting it gives (``name``), the dotted
    path behind it, and the index of the word that holds its value (the option's own for ``--a=b``), if any."""

    start: int
    stop: int
    head: str
    name: str
    path: str
    value: int | None
    option: Option | None


def occurrences(engine: Engine, version: str | None, words: Sequence[Word]) -> list[Occurrence]:
    """Every option among ``words``, in their order; words before the options are left out."""
    release = catalogue.load(engine).release(version)
    index, found = len(words) - len(launch(engine, words).options), []
    while index < len(words):
        text = words[index].text
        index += 1
        if not _is_option(text, engine):
            continue
        head, equals, _ = text.partition("=")
        head, _, path = head.partition(".") if engine == "vllm" else (head, "", "")
        option = _option(release, head)
        start, most = index - 1, 0 if equals else _most(engine, option, head, bool(path))
        while most and index < len(words) and not _is_option(words[index].text, engine):
            index, most = index + 1, most - 1
        name = option.name if option else _name(engine, head)
        value = start if equals else start + 1 if index > start + 1 else None
        found.append(Occurrence(start, index, head, name, path, value, option))
    return found


def _is_option(text: str, engine: Engine) -> bool:
    return text.startswith("-") and re.fullmatch(r"-|-[\d.]+", text) is None and " " not in text.partition("=")[0]


def _option(release: Release, head: str) -> Option | None:
    spelled = "--" + head[2:].replace("_", "-") if release.engine == "vllm" and head[:2] == "--" else head
    found = release.by_string.get(spelled)
    if found is None:
        longer = release.beginning_with(spelled) if spelled[:2] == "--" else ()
        found = release.by_string[longer[0]] if len(longer) == 1 else release.elsewhere(spelled)
    return found


def _most(engine: Engine, option: Option | None, head: str, dotted: bool) -> int:
    if option is not None and not dotted:
        return option.most_values
    return 0 if engine == "llamacpp" and is_switch(head) else 1


def _name(engine: Engine, head: str) -> str:
    long = canonical(head) if engine == "llamacpp" else head
    return long.lstrip("-").replace("-", "_")


def reword(
    engine: Engine, version: str | None, words: Sequence[Word], settings: Mapping[str, Any]
) -> tuple[Splice, ...] | None:
    """The splices after which ``settings`` have their new values (None: as if never given); None where no words say it.

    They do not overlap, and indices are those of ``words``. ``env.NAME`` is no word: such a setting gives None.
    """
    given = occurrences(engine, version, words)
    release = catalogue.load(engine).release(version)
    splices: dict[int, Splice] = {}
    added: list[Splice] = []
    for name, value in settings.items():
        found = _one(engine, release, words, given, name, value)
        if found is None:
            return None
        for splice in found:
            if splice.stop is None:
                added.append(splice)
            elif splices.setdefault(splice.start, splice) != splice:
                return None
    return (*sorted(splices.values(), key=lambda each: each.start), *added)


def _one(
    engine: Engine, release: Release, words: Sequence[Word], given: Sequence[Occurrence], name: str, value: Any
) -> list[Splice] | None:
    if name.startswith("env."):
        return None
    if name == "speculative.method" and value is None:
        prefixes = ("spec_type", "spec_draft", "model_draft") if engine == "llamacpp" else ("speculative", "spec_")
        return [_gone(each) for each in given if each.name.startswith(prefixes)]
    if engine == "llamacpp":
        name = _COMMON_OF_LLAMACPP.get(name, name)
    group, dot, key = name.partition(".")
    if dot:
        return _nested(release, words, given, f"{group}_config", key, value, _SHORTCUTS.get(name))
    mine = [each for each in given if each.name == name and not each.path]
    if value is None:
        return [_gone(each) for each in mine]
    option = release.by_name.get(name)
    if isinstance(value, bool):
        return _switched(engine, mine, option, name, value)
    if not isinstance(value, (str, int, float)):
        return None
    if mine:
        return _revalued(words, mine[-1], str(value))
    if option is None and engine != "llamacpp":
        return None
    spelled = option.strings[0] if option is not None else "--" + name.replace("_", "-")
    return [Splice(len(words), None, (spelled, str(value)))]


def _switched(
    engine: Engine, mine: Sequence[Occurrence], option: Option | None, name: str, value: bool
) -> list[Splice] | None:
    if engine == "llamacpp" and not value:
        wanted: str | None = "--no-" + name.replace("_", "-")
    elif option is None:
        return None
    elif option.action == "boolean":
        wanted = option.strings[0] if value else next(iter(option.negatives), None)
    elif option.action in ("true", "false"):
        # A flag that only sets one value: the other one is what its absence means.
        wanted = option.strings[0] if value is (option.action == "true") else ""
    else:
        return _revalued_switch(option, mine, value)
    if wanted is None:
        return None
    if not mine:
        return [Splice(0, None, (wanted,))] if wanted else []
    *earlier, last = mine
    gone = [_gone(each) for each in earlier]
    return [*gone, Splice(last.start, last.stop, (wanted,) if wanted else ())]


def _revalued_switch(option: Option, mine: Sequence[Occurrence], value: bool) -> list[Splice] | None:
    return None if mine else [Splice(0, None, (option.strings[0], str(value).lower()))]


def _revalued(words: Sequence[Word], occurrence: Occurrence, value: str) -> list[Splice] | None:
    index = occurrence.value
    if index is None or occurrence.stop - occurrence.start > 2:
        return None
    if index == occurrence.start:
        return [Splice(index, index + 1, (words[index].text.partition("=")[0] + "=" + value,))]
    return [Splice(index, index + 1, (value,))]


def _gone(occurrence: Occurrence) -> Splice:
    return Splice(occurrence.start, occurrence.stop, ())


def _nested(
    release: Release,
    words: Sequence[Word],
    given: Sequence[Occurrence],
    whole: str,
    key: str,
    value: Any,
    shortcut: str | None,
) -> list[Splice] | None:
    """A key of a JSON option: in the JSON text, in its dotted form, or by the option that stands for the key alone."""
    dotted = [each for each in given if each.name == whole and each.path.replace("-", "_") == key]
    short = [each for each in given if shortcut is not None and each.name == shortcut]
    texts = [each for each in given if each.name == whole and not each.path and each.value is not None]
    splices: list[Splice] = []
    for each in (*dotted, *short):
        changed = [_gone(each)] if value is None else _revalued(words, each, _plain(value))
        if changed is None:
            return None
        splices += changed
    for each in texts:
        index = each.value or 0
        text = words[index].text
        head = text[: text.index("=") + 1] if index == each.start else ""
        new = edit_json(text[len(head) :], key, value)
        if new is None:
            return None
        if new == "{}":
            splices.append(_gone(each))
        elif head + new != text and not (splices and key not in text):
            splices.append(Splice(index, index + 1, (head + new,)))
    if splices or value is None:
        return splices
    option = release.by_name.get(whole)
    if option is None or isinstance(value, (dict, list)):
        return None
    return [Splice(len(words), None, (f"{option.strings[0]}.{key}", _plain(value)))]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def edit_json(text: str, key: str, value: Any) -> str | None:
    """``text``, a JSON object, with ``key`` of its top level set to ``value`` (None: taken out); the rest as written.

    None where ``text`` is no such object.
    """
    members = list(_members(text))
    if not members and text.replace(" ", "") != "{}":
        return None
    new = json.dumps(value, separators=(",", ":"))
    for number, (name, start, middle, stop) in enumerate(members):
        if name != key:
            continue
        if value is not None:
            return text[:middle] + new + text[stop:]
        if len(members) == 1:
            return "{}"
        if number + 1 < len(members):
            return text[:start] + text[members[number + 1][1] :]
        return text[: members[number - 1][3]] + text[stop:]
    if value is None:
        return text
    if not members:
        return f'{{"{key}":{new}}}'
    last = members[-1][3]
    return f'{text[:last]},"{key}":{new}{text[last:]}'


def _members(text: str) -> Iterator[tuple[str, int, int, int]]:
    """The members of a JSON object: name, and where it, its value and the value's end stand. Nothing if it is none."""
    decoder = json.JSONDecoder()
    found: list[tuple[str, int, int, int]] = []
    position = _skip(text, 0, "{")
    try:
        while position is not None:
            position = _skip(text, position, "")
            name, end = decoder.raw_decode(text, position or 0)
            middle = _skip(text, end, ":")
            middle = None if middle is None else _skip(text, middle, "")
            if middle is None or not isinstance(name, str):
                return
            _, stop = decoder.raw_decode(text, middle)
            found.append((name, position or 0, middle, stop))
            position = _skip(text, stop, ",")
            if position is None:
                end = _skip(text, stop, "}") or 0
                if not end or text[end:].strip():
                    return
    except (ValueError, RecursionError):
        return
    yield from found


def _skip(text: str, position: int, mark: str) -> int | None:
    """Behind white space and ``mark``; None where something else stands there."""
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position + len(mark) if text.startswith(mark, position) else None
