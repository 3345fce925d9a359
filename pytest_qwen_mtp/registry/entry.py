"""One registry entry: a known way that Qwen with MTP breaks, as read from its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_qwen_mtp.findings import Severity
from pytest_qwen_mtp.profiles.model import Engine
from pytest_qwen_mtp.registry.conditions import Condition
from pytest_qwen_mtp.registry.language import read_condition
from pytest_qwen_mtp.registry.ranges import Range

EVIDENCE = ("confirmed", "fix merged", "several reporters", "one reporter", "read in source")
"""How sure an entry is, in words: confirmed by a maintainer; a fix is merged upstream; independent reporters; a single
one; or seen in the released source. It says nothing about how bad it is."""


@dataclass(frozen=True, slots=True)
class Workaround:
    """A change that avoids the trouble. ``settings`` are its plain values (None: take the option away), ``upgrade`` the
    release to move to, ``cost`` what one pays, ``remeasure`` whether speed or memory must be measured again."""

    text: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    upgrade: str | None = None
    cost: str | None = None
    remeasure: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A command that must, or must not, meet the entry: ``docs/registry.md`` names its keys.

    ``certainty``: what a bad example must be told; ``possible`` where the entry waits for what no file shows.
    """

    command: str
    version: str | None = None
    image: str | None = None
    model: str | None = None
    platform: str | None = None
    gpu: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    checkpoint: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] | None = None
    certainty: str = "definite"


@dataclass(frozen=True, slots=True)
class Entry:
    """``symptom`` is what happens to the user's server, in a sentence; ``silent``: nothing in log or health check says
    so. ``affected`` and ``when`` decide. ``overrides`` are ids of other entries that this one replaces. ``rule``:
    the rule that says the same about the same option where it can; one finding is then told, under the rule's id."""

    id: str
    title: str
    engine: Engine
    severity: Severity
    affected: tuple[Range, ...]
    when: Condition
    symptom: str
    silent: bool
    impact: str
    workarounds: tuple[Workaround, ...]
    references: tuple[str, ...]
    evidence: str
    last_checked: str
    live: str
    path: Path
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    note: str | None = None
    overrides: tuple[str, ...] = ()
    rule: str | None = None


def read_entry(data: Mapping[str, Any], path: Path) -> Entry:
    """The entry that ``data`` (by ``schemas/registry-entry.schema.json``) states. Raises ``ConditionError``."""
    return Entry(
        id=data["id"],
        title=data["title"],
        engine=data["engine"],
        severity=Severity.parse(data["severity"]),
        affected=tuple(Range(**each) for each in data["affected"]),
        when=read_condition(data["when"]),
        symptom=data["symptom"],
        silent=data["silent"],
        impact=data["impact"],
        workarounds=tuple(_read_workaround(each) for each in data["workarounds"]),
        references=tuple(data["references"]),
        evidence=data["evidence"],
        last_checked=data["last_checked"],
        live=data["live"],
        path=path,
        aliases=tuple(data.get("aliases", ())),
        sources=tuple(data.get("sources", ())),
        note=data.get("note"),
        overrides=tuple(data.get("overrides", ())),
        rule=data.get("rule"),
    )


def _read_workaround(data: Mapping[str, Any]) -> Workaround:
    return Workaround(
        data["text"], data.get("set", {}), data.get("upgrade"), data.get("cost"), data.get("remeasure", False)
    )
