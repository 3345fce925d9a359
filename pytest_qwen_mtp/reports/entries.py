"""Profiles and findings as plain JSON values: the form they have in every report, and between processes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_qwen_mtp.findings import Finding, Place
from pytest_qwen_mtp.profiles.model import NotSeen, ServeProfile, Word
from pytest_qwen_mtp.reports.links import is_upstream
from pytest_qwen_mtp.reports.secrets import hide_value, hide_words

if TYPE_CHECKING:
    from pytest_qwen_mtp.check import Reading


def shown_path(path: str, root: Path) -> str:
    """``path`` relative to ``root`` where it lies below it, else as it is; with slashes on every system."""
    base = str(root)
    if path.startswith(base) and path[len(base) : len(base) + 1] in (os.sep, "/"):
        path = path[len(base) + 1 :]
    return path.replace(os.sep, "/") if os.sep != "/" else path


def place_entry(place: Place, root: Path) -> dict[str, Any]:
    """``{"path", "line", "column"}``; line and column are None for the whole file."""
    return {"path": shown_path(place.path, root), "line": place.line, "column": place.column}


def profile_entry(profile: ServeProfile, readings: Sequence[Reading], root: Path) -> dict[str, Any]:
    """One item of ``profiles`` in the JSON report (``schemas/report.schema.json``)."""
    first = next((reading for reading in readings if reading.command.when is None), readings[0] if readings else None)
    return {
        "path": shown_path(profile.path, root),
        "service": profile.service,
        "engine": profile.engine,
        "engine_evidence": profile.engine_evidence.text,
        "engine_version": profile.version,
        "version_evidence": profile.version_evidence.text,
        "image": profile.image.text if profile.image else None,
        "model": first.model.name if first else None,
        "family": first.model.family if first else None,
        "speculative": _speculative(first.speculative) if first else None,
        "commands": [
            {
                "argv": hide_words(reading.command.argv),
                "when": reading.command.when,
                "speculative": _speculative(reading.speculative),
            }
            for reading in readings
        ],
        "env": _env(profile.env or (first.command.env if first else {})),
        "unresolved": list(dict.fromkeys(use.name for use in profile.unresolved)),
    }


def _speculative(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if not value:
        return None
    method, k = value.get("method"), value.get("k")
    # What the files do not tell is null in the report, as it is when nothing is said.
    return {"method": method if isinstance(method, str) else None, "k": k if isinstance(k, int) else None}


def _env(env: Mapping[str, Word | None]) -> dict[str, str | None]:
    return {name: None if word is None else hide_value(name, word.text) for name, word in env.items()}


def finding_entry(finding: Finding, root: Path) -> dict[str, Any]:
    """One item of ``findings`` in the JSON report."""
    return {
        "rule": finding.rule,
        "aliases": list(finding.aliases),
        "upstream": [each for each in finding.references if is_upstream(each)],
        "severity": str(finding.severity),
        "certainty": str(finding.certainty),
        "check": finding.check,
        **place_entry(finding.place, root),
        "service": finding.service,
        "when": finding.when,
        "message": finding.message,
        "why": [
            {
                "text": reason.text,
                "holds": reason.holds,
                "place": place_entry(reason.place, root) if reason.place else None,
            }
            for reason in finding.why
        ],
        "fix": finding.fix.text if finding.fix else None,
        "references": list(finding.references),
        "suppressed": None if finding.suppressed is None else dict(finding.suppressed),
        "evidence": finding.evidence,
        "in_baseline": finding.in_baseline,
        **({"text": finding.text} if finding.text else {}),
    }


def accepted_text(suppressed: Mapping[str, str | None] | None) -> str | None:
    """The reason of a suppression in one line, with its last day; None without one."""
    if suppressed is None:
        return None
    until = f" (until {suppressed['until']})" if suppressed["until"] else ""
    return f"{suppressed['reason']}{until}"


def not_seen_entry(not_seen: NotSeen, root: Path) -> dict[str, Any]:
    """One item of ``not_seen`` in the JSON report."""
    return {"what": not_seen.what, **place_entry(not_seen.place, root)}
