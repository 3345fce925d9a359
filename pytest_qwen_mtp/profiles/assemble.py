"""From the ways that a file can go to its inference servers, each with its commands and their conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Command, Evidence, NotSeen, ServeProfile
from pytest_qwen_mtp.profiles.shell.branches import Decisions, Way, explore
from pytest_qwen_mtp.profiles.start import Follower, Start
from pytest_qwen_mtp.profiles.text import Reference

_NOBODY_SAYS = Evidence("no file names the release")


@dataclass(frozen=True, slots=True)
class Stated:
    """What the user says about a service: the engine's release with its evidence, and the ``x-qwen-mtp`` block."""

    version: str | None = None
    evidence: Evidence = _NOBODY_SAYS
    block: Mapping[str, Any] | None = None


def servers(
    path: str,
    service: str | None,
    place: Place,
    run: Callable[[Decisions], Follower],
    stated: Stated,
    when: str | None = None,
) -> tuple[list[ServeProfile], list[NotSeen]]:
    """The servers that ``run`` starts, over all its ways. ``when`` is a condition on the whole service."""
    explored = explore(run, key=lambda follower: tuple(start.key for start in follower.starts) or None)
    not_seen = list(dict.fromkeys(seen for way in explored.ways for seen in way.result.not_seen))
    if not explored.complete:
        not_seen.append(NotSeen("more ways through the conditions than are followed", place))
    profiles = []
    for slot in _slots([Way(way.result.starts, way.when) for way in explored.ways]):
        profiles.append(_profile(path, service, place, slot, stated, when))
    return profiles, not_seen


def _slots(ways: Sequence[Way[list[Start]]]) -> list[list[Way[Start]]]:
    """The starts of all ways, put together by server: by position where every way has as many, else by place."""
    by_position = len({len(way.result) for way in ways if way.result}) <= 1
    slots: dict[object, list[Way[Start]]] = {}
    for way in ways:
        seen: dict[Place, int] = {}
        for position, start in enumerate(way.result):
            count = seen[start.place] = seen.get(start.place, -1) + 1
            key: object = position if by_position else (start.place, count)
            slots.setdefault(key, []).append(Way(start, way.when))
    return list(slots.values())


def _profile(
    path: str, service: str | None, place: Place, slot: Sequence[Way[Start]], stated: Stated, when: str | None
) -> ServeProfile:
    commands: dict[tuple[object, ...], Command] = {}
    for way in slot:
        start = way.result
        if start.words is None:
            continue
        condition = " and ".join(text for text in (when, way.when) if text) or None
        known = commands.get(start.key)
        if known is None:
            commands[start.key] = Command(start.words, start.env, condition, start.place, start.mistakes)
        elif known.when is not None and condition is None:
            commands[start.key] = replace(known, when=None)
    first = slot[0].result
    version, evidence = _version(first, stated)
    return ServeProfile(
        path=path,
        service=service,
        place=first.place if service is None else place,
        engine=first.identity.engine,
        engine_evidence=first.identity.evidence,
        version=version,
        version_evidence=evidence,
        image=first.image.word if first.image else None,
        commands=tuple(commands.values()),
        env=first.env,
        unresolved=_unresolved([way.result for way in slot if way.when is None] or [way.result for way in slot]),
        stated=stated.block or {},
        files=first.files,
        when=when,
        gpus=first.gpus,
    )


def _version(start: Start, stated: Stated) -> tuple[str | None, Evidence]:
    """The release: as the user states it, as the file installs it, or as the image's tag names it."""
    if stated.version is not None:
        return stated.version, stated.evidence
    if start.pip is not None and start.pip.engine == start.identity.engine and start.pip.replaces:
        return start.pip.version, start.pip.evidence
    image = start.image
    if image is None:
        return None, _NOBODY_SAYS
    if image.engine is not None and image.engine != start.identity.engine:
        return None, Evidence(f"the image {image.word.text} is named after another engine", image.word.place)
    return image.version, image.version_evidence


def _unresolved(starts: Sequence[Start]) -> tuple[Reference, ...]:
    """References without a value that decide something about a command or the image, each name once."""
    found: dict[str, Reference] = {}
    for start in starts:
        words = [*(start.words or ()), *([start.image.word] if start.image else ())]
        for reference in (*(use for word in words for use in word.unresolved), *start.demanded):
            if not reference.resolved:
                found.setdefault(reference.name, reference)
    return tuple(found.values())
