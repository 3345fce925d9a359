"""How sure the registry is of an entry, in its order, and what a threshold on it admits."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pytest_qwen_mtp.findings import Certainty, Finding, Reason, Severity

LEVELS: Final = ("read in source", "one reporter", "several reporters", "fix merged", "confirmed")
"""From the weakest: nobody reported it; one reporter; independent ones; a fix upstream; a maintainer says so."""
ONE_REPORTER: Final = Reason("one reporter so far; would be definite if somebody else had seen it", None)
"""Why a critical entry that one person has reported is not told as definite."""


def parse_evidence(text: str) -> str:
    """The level named by ``text``, with blanks or dashes, in any case. Raises ``ValueError`` with the five."""
    level = " ".join(text.strip().lower().replace("-", " ").split())
    if level not in LEVELS:
        raise ValueError(f"unknown evidence {text!r}; expected one of {', '.join(LEVELS)}")
    return level


def is_below(evidence: str | None, least: str | None) -> bool:
    """Whether a finding with this evidence stands below the threshold. A rule's own finding never does."""
    return least is not None and evidence in LEVELS and LEVELS.index(evidence) < LEVELS.index(least)


def with_threshold(finding: Finding, least: str | None) -> Finding:
    """``finding`` where the user says which evidence is enough: one reporter then makes a critical one definite, if
    nothing else about it is open."""
    if least is None or ONE_REPORTER not in finding.why or is_below(finding.evidence, least):
        return finding
    why = tuple(reason for reason in finding.why if reason != ONE_REPORTER)
    sure = finding.severity is Severity.CRITICAL and finding.when is None and all(reason.holds for reason in why)
    return replace(finding, why=why, certainty=Certainty.DEFINITE) if sure else finding
