"""Facts of many releases into timelines: a fact is written down where it changes, and only there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from packaging.version import Version

Facts = Mapping[str, Any]
ABSENT = object()


def merge(releases: Mapping[str, Facts]) -> dict[str, Any]:
    """The catalogue of one engine: version → facts of each release, into one table of timelines.

    ``options`` and ``tables``: name → ``[[release number, fact], …]``; ``keys``: key set → key → timeline. A null fact
    says that the name is gone. Lists of choices stand once in ``choices`` and are named by their number.
    """
    versions = sorted(releases, key=Version)
    choices: list[list[Any]] = []
    ordered = [releases[version] for version in versions]
    sets = sorted({name for facts in ordered for name in facts["keys"]})
    return {
        "releases": versions,
        "options": _timelines([facts["options"] for facts in ordered], choices),
        "keys": {name: _timelines([facts["keys"].get(name, {}) for facts in ordered], choices) for name in sets},
        "tables": {
            name: _timelines([facts["tables"][name] for facts in ordered], choices)
            for name in ("methods", "mtp_models", "environment")
        },
        "choices": choices,
    }


def split(catalogue: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The facts of every release in ``catalogue``: the reverse of :func:`merge`."""
    choices = catalogue["choices"]
    found: dict[str, dict[str, Any]] = {}
    for index, version in enumerate(catalogue["releases"]):
        keys = {name: _at(timelines, index, choices) for name, timelines in catalogue["keys"].items()}
        found[version] = {
            "options": _at(catalogue["options"], index, choices),
            "keys": {name: facts for name, facts in keys.items() if facts},
            "tables": {name: _at(timelines, index, choices) for name, timelines in catalogue["tables"].items()},
        }
    return found


def _timelines(releases: list[Mapping[str, Any]], choices: list[list[Any]]) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = {}
    for name in sorted({name for facts in releases for name in facts}):
        last: Any = ABSENT
        for index, facts in enumerate(releases):
            fact = _interned(facts[name], choices) if name in facts else ABSENT
            if fact != last and not (fact is ABSENT and last is ABSENT):
                found.setdefault(name, []).append([index, None if fact is ABSENT else fact])
            last = fact
    return found


def _interned(fact: Any, choices: list[list[Any]]) -> Any:
    if not isinstance(fact, dict) or "choices" not in fact:
        return fact
    listed = fact["choices"]
    if listed not in choices:
        choices.append(listed)
    return {**fact, "choices": choices.index(listed)}


def _at(timelines: Mapping[str, Iterable[list[Any]]], index: int, choices: list[list[Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, timeline in timelines.items():
        fact = None
        for start, value in timeline:
            fact = value if start <= index else fact
        if fact is not None:
            known = isinstance(fact, dict) and "choices" in fact
            found[name] = {**fact, "choices": choices[fact["choices"]]} if known else fact
    return found
