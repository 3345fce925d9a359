"""What every known release of an engine accepts: options, JSON keys, speculative methods, environment variables.

The facts are timelines in ``data/*.json``, written by ``tools/build_catalogue.py`` from the released wheels. A timeline
is a list of ``[release, fact]`` steps: the fact holds from that release until the next step; null ends it.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from pytest_qwen_mtp.engines.options import Computed, Key, Option
from pytest_qwen_mtp.profiles.model import Engine

_DATA = Path(__file__).parent / "data"
TITLES: Mapping[str, str] = {"vllm": "vLLM", "sglang": "SGLang", "llamacpp": "llama.cpp"}

Timeline = list[tuple[int, Any]]


@dataclass(frozen=True, slots=True)
class Span:
    """An option existed from release ``first`` to ``last``, both known ones; ``last`` None: it still exists."""

    first: str
    last: str | None


def _at(timeline: Timeline, index: int) -> Any:
    """The fact that holds at release number ``index``; None where none does."""
    fact = None
    for start, value in timeline:
        if start > index:
            break
        fact = value
    return fact


class Release:
    """One release. ``exact`` is False where ``version`` stands in for a release the catalogue does not hold.

    ``asked`` is the release that was asked for, None if nobody knows which one runs.
    """

    def __init__(
        self, catalogue: Catalogue, index: int, asked: str | None, exact: bool, above_oldest: bool = True
    ) -> None:
        self.catalogue = catalogue
        self.engine: Engine = catalogue.engine
        self.index = index
        self.version: str | None = catalogue.versions[index] if catalogue.versions else None
        self.asked = asked
        self.exact = exact
        self.above_oldest = above_oldest
        self.title = TITLES[catalogue.engine]
        self._keys: dict[str, dict[str, Key]] = {}

    def __str__(self) -> str:
        return f"{self.title} {self.version}"

    @property
    def wanted(self) -> str:
        """The release that was asked for, in words."""
        return f"the release {self.asked}" if self.asked is not None else "the release that runs"

    def around(self) -> tuple[Release, ...]:
        """The known releases that bound the one asked for: itself if exact, all of them if nothing is known."""
        releases = [self.catalogue.release(version) for version in self.catalogue.versions]
        if self.exact:
            return (self,)
        inside = self.asked is not None and self.above_oldest and self.index + 1 < len(releases)
        return tuple(releases[self.index : self.index + 2] if inside else releases)

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """All options of the release."""
        found = (_at(timeline, self.index) for timeline in self.catalogue.options.values())
        return tuple(option for option in found if option is not None)

    @cached_property
    def by_string(self) -> dict[str, Option]:
        """Every spelling, ``--no-`` forms included, with its option."""
        strings: dict[str, Option] = {}
        for option in self.options:
            for string in option.strings + option.negatives:
                strings[string] = option
        return strings

    @cached_property
    def spellings(self) -> dict[str, tuple[Option, int, bool]]:
        """Every spelling with its option, the most values it takes, and whether it is a ``--no-`` form."""
        return {
            string: (option, option.most_values, option.action == "boolean" and string not in option.strings)
            for string, option in self.by_string.items()
        }

    @cached_property
    def by_name(self) -> dict[str, Option]:
        """Options by the attribute they set; the first spelling wins where several set the same one."""
        names: dict[str, Option] = {}
        for option in self.options:
            names.setdefault(option.name, option)
        return names

    @cached_property
    def checked(self) -> dict[str, Option]:
        """Options, by the attribute they set, whose values the release's config asks something of."""
        return {name: option for name, option in self.by_name.items() if option.bounds or option.keys}

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.by_string)

    def beginning_with(self, start: str) -> tuple[str, ...]:
        """The spellings that ``start`` abbreviates."""
        if not start or start in ("-", "--"):
            return ()
        strings = self._sorted
        first = bisect_left(strings, start)
        last = first
        while last < len(strings) and strings[last].startswith(start):
            last += 1
        return tuple(strings[first:last])

    def elsewhere(self, string: str) -> Option | None:
        """The option that ``string`` names in some other known release."""
        return self.catalogue.any_release.get(string)

    def keys(self, name: str) -> Mapping[str, Key]:
        """The keys of the JSON option whose key set is ``name``; empty where any key is accepted."""
        found = self._keys.get(name)
        if found is None:
            timelines = self.catalogue.keys.get(name, {})
            facts = {key: _at(timeline, self.index) for key, timeline in timelines.items()}
            found = self._keys[name] = {key: fact for key, fact in facts.items() if fact is not None}
        return found

    @cached_property
    def methods(self) -> Mapping[str, str]:
        """Speculative methods of the release: name as written → the method it means."""
        return self._facts("methods")

    @cached_property
    def mtp_models(self) -> Mapping[str, str]:
        """Model types for which MTP is wired → the type the draft model gets."""
        return self._facts("mtp_models")

    @cached_property
    def environment(self) -> frozenset[str]:
        """Environment variables that the release reads."""
        return frozenset(self._facts("environment"))

    def _facts(self, table: str) -> dict[str, Any]:
        found = {}
        for name, timeline in self.catalogue.tables.get(table, {}).items():
            fact = _at(timeline, self.index)
            if fact is not None:
                found[name] = fact
        return found


class Catalogue:
    """All known releases of one engine, oldest first in ``versions``."""

    def __init__(self, engine: Engine, data: Mapping[str, Any]) -> None:
        self.engine: Engine = engine
        self.versions: tuple[str, ...] = tuple(data["releases"])
        self._parsed = [Version(version) for version in self.versions]
        self.tables: Mapping[str, Mapping[str, Timeline]] = data.get("tables", {})
        self._raw = data
        self._releases: dict[str | None, Release] = {}

    @cached_property
    def options(self) -> dict[str, Timeline]:
        """Main spelling → timeline of :class:`Option`."""
        sets = self._raw.get("choices", [])
        return {
            string: [(start, None if spec is None else _option(string, spec, sets)) for start, spec in timeline]
            for string, timeline in self._raw.get("options", {}).items()
        }

    @cached_property
    def keys(self) -> dict[str, dict[str, Timeline]]:
        """Key set → key → timeline of :class:`Key`."""
        sets = self._raw.get("choices", [])
        return {
            name: {
                key: [(start, None if spec is None else _key(key, spec, sets)) for start, spec in timeline]
                for key, timeline in keys.items()
            }
            for name, keys in self._raw.get("keys", {}).items()
        }

    @cached_property
    def any_release(self) -> dict[str, Option]:
        """Every spelling of every release; the newest meaning wins."""
        strings: dict[str, tuple[int, Option]] = {}
        for timeline in self.options.values():
            for start, option in timeline:
                for string in () if option is None else option.strings + option.negatives:
                    if string not in strings or strings[string][0] <= start:
                        strings[string] = (start, option)
        return {string: option for string, (_, option) in strings.items()}

    def release(self, version: str | None) -> Release:
        """The release ``version``, or the nearest known one at or below it (the oldest if there is none).

        ``None``, and what is no version at all, give the newest. ``exact`` of the answer is False in all these cases.
        """
        found = self._releases.get(version)
        if found is None:
            found = self._releases[version] = self._find(version)
        return found

    def _find(self, version: str | None) -> Release:
        newest = len(self.versions) - 1
        if version is None or not self.versions:
            return Release(self, newest, version, False)
        try:
            wanted = Version(version)
        except InvalidVersion:
            return Release(self, newest, None, False)
        if not any(wanted.release):  # 0.0.0.dev1+g…: built from a checkout without tags
            return Release(self, newest, None, False)
        index = bisect_right(self._parsed, wanted) - 1
        exact = index >= 0 and self._parsed[index] == wanted
        return Release(self, max(index, 0), version, exact, above_oldest=index >= 0)

    def abbreviated(self, string: str) -> bool:
        """Whether ``string`` is the beginning of an option of some release."""
        strings = self._sorted
        first = bisect_left(strings, string)
        return len(string) > 2 and first < len(strings) and strings[first].startswith(string)

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.any_release)

    def spans(self, string: str) -> tuple[Span, ...]:
        """When the spelling ``string`` existed, oldest first."""
        spans: list[Span] = []
        open_at: int | None = None
        for index, present in enumerate(self._presence(string)):
            if present and open_at is None:
                open_at = index
            elif not present and open_at is not None:
                spans.append(Span(self.versions[open_at], self.versions[index - 1]))
                open_at = None
        if open_at is not None:
            spans.append(Span(self.versions[open_at], None))
        return tuple(spans)

    def _presence(self, string: str) -> Iterator[bool]:
        holders = [
            timeline
            for timeline in self.options.values()
            if any(option is not None and string in option.strings + option.negatives for _, option in timeline)
        ]
        for index in range(len(self.versions)):
            facts = (_at(timeline, index) for timeline in holders)
            yield any(option is not None and string in option.strings + option.negatives for option in facts)


def _choices(spec: Mapping[str, Any], sets: list[list[Any]]) -> tuple[Any, ...] | None:
    number = spec.get("choices")
    return None if number is None else tuple(sets[number])


def _option(string: str, spec: Mapping[str, Any], sets: list[list[Any]]) -> Option:
    default = Computed(spec["computed"]) if "computed" in spec else spec.get("default")
    return Option(
        name=spec.get("name") or string.lstrip("-").replace("-", "_"),
        strings=(string, *spec.get("also", ())),
        action=spec.get("action", "store"),
        nargs=spec.get("nargs"),
        type=spec.get("type", "str"),
        choices=_choices(spec, sets),
        default=default,
        const=spec.get("const"),
        keys=spec.get("keys"),
        deprecated=spec.get("deprecated", False),
        required=spec.get("required", False),
        opposites=tuple(spec.get("no", ())),
        new=spec.get("new"),
        bounds=tuple(spec["bounds"].items()) if "bounds" in spec else (),
    )


def _key(name: str, spec: Mapping[str, Any], sets: list[list[Any]]) -> Key:
    default = Computed(spec["computed"]) if "computed" in spec else spec.get("default")
    types = tuple(spec.get("types", ("any",)))
    bounds = tuple(spec["bounds"].items()) if "bounds" in spec else ()
    return Key(name, types, _choices(spec, sets), default, spec.get("keys"), spec.get("required", False), bounds)


@cache
def load(engine: Engine) -> Catalogue:
    """The catalogue of ``engine``, read once. An engine without data gets an empty catalogue."""
    path = _DATA / f"{engine}.json"
    data = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"releases": []}
    return Catalogue(engine, data)
