"""Conditions, and their three-valued (Kleene) answer for one command with the reasons for it.

``language.py`` reads them from the values of an entry's file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pytest_qwen_mtp.engines.model import UNKNOWN
from pytest_qwen_mtp.findings import Reason
from pytest_qwen_mtp.registry.facts import Fact, Facts


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple[Condition, ...]

    def truth(self, facts: Facts) -> bool | None:
        result: bool | None = True
        # From behind: an entry's own condition stands last, and says no more often than what all entries share.
        for part in reversed(self.parts):
            holds = part.truth(facts)
            if holds is False:
                return False
            if holds is None:
                result = None
        return result

    def reasons(self, facts: Facts, wanted: bool = True) -> Iterator[Reason]:
        truth = self.truth(facts)
        for part in self.parts:
            if wanted or part.truth(facts) is truth:
                yield from part.reasons(facts, wanted)


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple[Condition, ...]

    def truth(self, facts: Facts) -> bool | None:
        result: bool | None = False
        for part in self.parts:
            holds = part.truth(facts)
            if holds:
                return True
            if holds is None:
                result = None
        return result

    def reasons(self, facts: Facts, wanted: bool = True) -> Iterator[Reason]:
        """Of the alternatives, the ones that decide: the first that holds, or all that are unknown."""
        truth = self.truth(facts)
        for part in self.parts:
            if part.truth(facts) is truth:
                yield from part.reasons(facts, wanted)
                if truth and wanted:
                    return


@dataclass(frozen=True, slots=True)
class Not:
    part: Condition

    def truth(self, facts: Facts) -> bool | None:
        holds = self.part.truth(facts)
        return None if holds is None else not holds

    def reasons(self, facts: Facts, wanted: bool = True) -> Iterator[Reason]:
        return self.part.reasons(facts, not wanted)


@dataclass(frozen=True, slots=True)
class Test:
    """One line: what ``name`` must be. ``check`` gives the answer for a fact whose value is known."""

    name: str
    wanted: str
    check: Callable[[Fact, Facts], bool | None] = field(compare=False, repr=False)
    of_value: bool = True

    def truth(self, facts: Facts) -> bool | None:
        answers, key = facts.answers, id(self)
        if key in answers:
            return answers[key]
        fact = facts.get(self.name)
        holds = None if self.of_value and fact.value is UNKNOWN else self.check(fact, facts)
        answers[key] = holds
        return holds

    def reasons(self, facts: Facts, wanted: bool = True) -> Iterator[Reason]:
        fact = facts.get(self.name)
        if self.truth(facts) is None:
            known = "is not known" if fact.value is UNKNOWN else f"is {show(fact.value)}"
            source = f" ({fact.source})" if fact.source else ""
            hope = self.wanted if wanted else f"not {self.wanted}"
            text = f"{self.name} {known}{source}; would be definite if it is {hope}"
            yield Reason(text, None, fact.place)
        else:
            yield Reason(_said(self.name, fact), True, fact.place)


@dataclass(frozen=True, slots=True)
class Written:
    """Does an option stand on the command line, spelled like this? ``--option`` with any value, or ``--option value``.

    It also finds what the release does not take, which has no value among the settings.
    """

    options: tuple[str, ...]

    def _find(self, facts: Facts) -> Reason | None:
        words = facts.subject.words
        for index, word in enumerate(words):
            if not word.text.startswith("-"):
                continue
            written, equals, value = word.text.partition("=")
            option = written.replace("_", "-")
            following = value if equals else words[index + 1].text if index + 1 < len(words) else ""
            for wanted in self.options:
                if wanted in (option, f"{option} {following}"):
                    said = f"{written} {following}" if " " in wanted else written
                    return Reason(f"{said} is given", True, word.place)
        return None

    def truth(self, facts: Facts) -> bool | None:
        return self._find(facts) is not None

    def reasons(self, facts: Facts, wanted: bool = True) -> Iterator[Reason]:
        yield self._find(facts) or Reason(f"{' or '.join(self.options)} is not given", True)


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that no file shows, such as the requests that will come. ``text`` goes on from "whether"."""

    text: str

    def truth(self, facts: Facts) -> bool | None:
        return None

    def reasons(self, facts: Facts, wanted: bool = True) -> Iterator[Reason]:
        yield Reason(f"no file shows whether {self.text}; would be definite if {'so' if wanted else 'not'}", None)


Condition = AllOf | AnyOf | Not | Test | Written | Unseen


def plain(value: Any) -> str:
    """The text by which values are compared: no difference in case, nor between ``1`` and ``"1"``; True is ``true``."""
    if isinstance(value, str):
        return value.casefold()
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def number(value: Any) -> float | None:
    """``value`` as a number; None for words, booleans and UNKNOWN."""
    if isinstance(value, bool) or value is UNKNOWN or value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def show(value: Any) -> str:
    if isinstance(value, frozenset):
        return ", ".join(sorted(value))
    return "unset" if value is None else plain(value) if isinstance(value, bool) else str(value)


def _said(name: str, fact: Fact) -> str:
    if fact.said is not None:
        return fact.said
    if fact.value is UNKNOWN:
        return f"{name} is {'given' if fact.given else 'not given'}"
    if fact.value is None:
        return f"{name} is not set"
    source = f" ({fact.source})" if fact.source else ""
    return f"{name} is {show(fact.value)}{source}"
