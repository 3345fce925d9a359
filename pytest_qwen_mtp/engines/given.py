"""What the words give: options into settings, and what the release's own parser would say against them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_qwen_mtp.engines.arguments import Argument, Given, Parsed
from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.launcher import Launch
from pytest_qwen_mtp.engines.missing import missing
from pytest_qwen_mtp.engines.model import UNKNOWN, OptionProblem, Origin, Setting
from pytest_qwen_mtp.engines.options import BadValue, Option, convert, convert_one, read_json
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given as GivenBy

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.S)
_SHOWN = 120


@dataclass(slots=True)
class Reading:
    """Settings and problems while one command is read.

    ``raw``: the text behind each setting. ``open``: why more options may be given than are seen, None if none can be.
    """

    release: Release
    launch: Launch
    known: dict[str, Setting] = field(default_factory=dict)
    problems: list[OptionProblem] = field(default_factory=list)
    raw: dict[str, str] = field(default_factory=dict)
    open: str | None = None

    @property
    def reads(self) -> bool:
        """Whether the engine's own parser reads the words, and no other program's."""
        return self.launch.kind in ("serve", "server", "bare")

    @property
    def judges(self) -> bool:
        """Whether the catalogue holds this very release and its own parser reads the words."""
        return self.release.exact and self.reads

    def give(self, name: str, value: Any, source: str, place: Place | None) -> None:
        self.known[name] = Setting(name, value, Origin.GIVEN, source, place)

    def say(
        self, kind: str, message: str, word: Word, option: str | None = None, suggestion: str | None = None
    ) -> None:
        self.problems.append(OptionProblem(kind, message, word.place, option, suggestion))


def take(reading: Reading, parsed: Parsed) -> None:
    """Fills ``reading`` from the parsed words: one setting for each attribute, the last one given wins."""
    unclear = {argument.text.partition("=")[0] for argument, _ in parsed.ambiguous}
    for given in parsed.given:
        option = given.option
        if given.string in unclear:
            continue
        if option is None or given.string not in reading.release.by_string:
            _foreign(reading, given)
        if option is None:
            name = given.string.lstrip("-").replace("-", "_")
            reading.raw[name] = " ".join(each.text for each in given.values)
            value, source = _guess(given.values), _source(given)
            reading.give(name, value, source, given.word.place)
        else:
            _take_option(reading, given, option)
    for argument, several in parsed.ambiguous:
        if reading.judges:
            shown = ", ".join(several[:6])
            reading.say("unknown-flag", f"{argument.text} could be {shown}", argument.word, argument.text)


def _take_option(reading: Reading, given: Given, option: Option) -> None:
    if option.action == "store" and option.nargs is None and len(given.values) == 1:
        argument = given.values[0]
        if not argument.word.references:  # nearly every option of nearly every command
            _take_one(reading, given, option, argument)
            return
    place = given.word.place
    if option.action == "true" or option.action == "boolean":
        if given.values:
            _refuse(reading, given, f"{given.string} takes no value")
        reading.give(option.name, not given.negative, _source(given), place)
        return
    if option.action == "false" or option.action == "const":
        reading.give(option.name, False if option.action == "false" else option.const, _source(given), place)
        return
    if option.action == "refuse":
        _refuse(reading, given, f"{given.string} is refused by {reading.release}")
        return
    if option.action in ("help", "ignore"):
        if given.values:
            _refuse(reading, given, f"{given.string} takes no value")
        return
    lacking = _lacking(option, given)
    if lacking is not None:
        reading.give(option.name, UNKNOWN, f"{given.string}: {lacking}", place)
        _refuse(reading, given, f"{given.string}: {lacking}")
        return
    reading.raw[option.name] = " ".join(each.text for each in given.values)
    unknown = unresolved_names(given.values)
    if unknown:
        reading.give(option.name, UNKNOWN, f"{_source(given)}: {unknown}", _value_place(given))
        return
    try:
        value = convert(option, [each.text for each in given.values])
    except BadValue as error:
        reading.give(option.name, UNKNOWN, f"{given.string}: {error}", _value_place(given))
        _refuse(reading, given, f"{given.string}: {error}")
        return
    if option.action in ("append", "extend"):
        value = _appended(reading, option, value)
    reading.give(option.name, value, _source(given), _value_place(given))


def _take_one(reading: Reading, given: Given, option: Option, argument: Argument) -> None:
    name, text = option.name, argument.text
    value: Any = UNKNOWN
    source = f"{given.string} {text}" if len(text) < _SHOWN else _source(given)
    if option.keys is not None:
        reading.raw[name] = text
    try:
        value = convert_one(option, text)
    except BadValue as error:
        source = f"{given.string}: {error}"
        _refuse(reading, given, source)
    reading.known[name] = Setting(name, value, Origin.GIVEN, source, argument.word.place)


def _appended(reading: Reading, option: Option, value: Any) -> list[Any]:
    before = reading.known.get(option.name)
    earlier = list(before.value) if before is not None and isinstance(before.value, list) else []
    return earlier + (list(value) if option.action == "extend" and isinstance(value, list) else [value])


def _lacking(option: Option, given: Given) -> str | None:
    count = len(given.values)
    if option.nargs in ("?", "*") or (option.nargs in (None, "+") and count):
        return None
    if isinstance(option.nargs, int) and count == option.nargs:
        return None
    expected = f"{option.nargs} values" if isinstance(option.nargs, int) else "a value"
    return f"found {count or 'none'}, expected {expected}"


def _refuse(reading: Reading, given: Given, message: str) -> None:
    if not reading.judges:
        return
    option = given.option
    kind = "invalid-speculative-config" if option and option.name == "speculative_config" else "invalid-flag-value"
    word = given.values[0].word if given.values else given.word
    reading.say(kind, message, word, given.string)


def _value_place(given: Given) -> Place:
    return given.values[0].word.place if given.values else given.word.place


def _source(given: Given) -> str:
    text = " ".join((given.string, *(each.text for each in given.values)))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def unresolved_names(arguments: Sequence[Argument]) -> str | None:
    """``A and B are not known`` where a word needs variables that nothing gives, else None."""
    names: list[str] = []
    for argument in arguments:
        if argument.word.references:
            names.extend(reference.name for reference in argument.word.unresolved)
    if not names:
        return None
    unique = list(dict.fromkeys(names))
    return f"{' and '.join(unique)} {'is' if len(unique) == 1 else 'are'} not known"


def _guess(values: Sequence[Argument]) -> Any:
    """The value of an option that no release knows: what its text looks like."""
    if not values:
        return True
    if unresolved_names(values):
        return UNKNOWN
    text = values[0].text
    if text[:1] == "{":
        try:
            return read_json(text)
        except BadValue:
            return UNKNOWN
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _foreign(reading: Reading, given: Given) -> None:
    """The release does not know this spelling: was it renamed, removed, or is it not there yet?"""
    if not reading.reads or given.word.unresolved:
        return
    found = missing(reading.release, given.string)
    if found is not None:
        place = given.word.place
        reading.problems.append(
            OptionProblem(found.kind, found.message, place, given.string, found.suggestion, found.certain)
        )


def is_leftover(argument: Argument) -> bool:
    """Whether a word can only be left over from the shell: an assignment behind the command, a lone blank, nothing."""
    return not argument.text.strip() or _ASSIGNMENT.fullmatch(argument.text) is not None


def strays(reading: Reading, arguments: Sequence[Argument]) -> None:
    """Words that belong to nothing: what they most likely are, and that more may come from a variable."""
    for argument in arguments:
        word = argument.word
        if word.references and any(each.given is GivenBy.UNKNOWN for each in word.references):
            reading.open = f"{argument.text} may hold more options"
        elif word.unresolved and not argument.text.strip():
            continue
        elif _ASSIGNMENT.fullmatch(argument.text):
            reading.say(
                "env-after-command", f"{argument.text} stands behind the command and is no assignment there", word
            )
        elif not argument.text.strip() and argument.text:
            reading.say("broken-line-continuation", "a blank behind the backslash ends the command here", word)
        elif reading.judges:
            reading.say("unknown-flag", f"{reading.release} does not expect the word {argument.text!r} here", word)


def flatten(reading: Reading, prefix: str, value: Mapping[str, Any], source: str, place: Place | None) -> None:
    """``{"a": {"b": 1}}`` under ``prefix``: settings ``prefix.a`` (a mapping) and ``prefix.a.b``."""
    for key, inner in value.items():
        name = f"{prefix}.{str(key).replace('-', '_')}"
        reading.give(name, inner, source, place)
        if isinstance(inner, Mapping):
            flatten(reading, name, inner, source, place)
