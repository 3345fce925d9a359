"""What a file starts, for people: ``qwen-mtp resolve``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Evidence, ServeProfile, Word
from pytest_qwen_mtp.reports.entries import shown_path
from pytest_qwen_mtp.reports.failure import clean
from pytest_qwen_mtp.reports.secrets import hide_value, hide_words

if TYPE_CHECKING:
    from pytest_qwen_mtp.check import Reading


def resolved_lines(
    profile: ServeProfile, readings: Sequence[Reading], root: Path, settings: bool = False
) -> Iterator[str]:
    """Engine and version with evidence, each command with the place of each option, variables without a value.

    With ``settings`` also what the release makes of each command.
    """
    yield clean(f"{shown_path(profile.path, root)}  {profile.service or '(no service name)'}")
    yield f"  engine      {profile.engine}{_evidence(profile.engine_evidence, root)}"
    yield f"  version     {profile.version or 'unknown'}{_evidence(profile.version_evidence, root)}"
    yield clean(f"  image       {profile.image.text if profile.image else 'none'}")
    if not readings:
        yield "  command     unknown: nothing in the files tells the words"
    for reading in readings:
        command, draft = reading.command, reading.speculative
        yield "  command" if command.when is None else clean(f"  command, when {command.when}")
        yield clean(f"    model       {reading.model.name or 'unknown'}{_family(reading)}")
        yield clean(f"    speculative {draft['method']}, k = {draft['k']}" if draft else "    speculative none")
        for group in groups(command.words):
            yield clean(f"    {' '.join(map(shlex.quote, _texts(group)))}{_at(group[0].place, root)}")
        if settings:
            from pytest_qwen_mtp.reports.settings import settings_lines

            yield "  settings" if command.when is None else clean(f"  settings, when {command.when}")
            yield from settings_lines(reading.settings, root)
    env = profile.env or (readings[0].command.env if readings else {})
    for name, value in env.items():
        shown = " (passed through)" if value is None else "=" + hide_value(name, value.text)
        yield clean(f"  env         {name}{shown}")
    for use in profile.unresolved:
        yield clean(f"  unresolved  {use.name}{_at(use.place, root)}")


def _texts(group: Sequence[Word]) -> list[str]:
    return hide_words([word.text for word in group])


def groups(words: Sequence[Word]) -> list[list[Word]]:
    """The words in groups: what stands before the first option, then each option with its values."""
    found: list[list[Word]] = []
    for word in words:
        if not found or (word.text.startswith("-") and len(word.text) > 1 and not word.text[1].isdigit()):
            found.append([])
        found[-1].append(word)
    return found


def _family(reading: Reading) -> str:
    return f"  (family {reading.model.family})" if reading.model.family else ""


def _evidence(evidence: Evidence, root: Path) -> str:
    return clean(f"  ({evidence.text}{', ' + _where(evidence.place, root) if evidence.place else ''})")


def _at(place: Place, root: Path) -> str:
    return f"    [{_where(place, root)}]"


def _where(place: Place, root: Path) -> str:
    return str(Place(shown_path(place.path, root), place.line, place.column))
