"""Which findings fail an item."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_qwen_mtp.evidence import is_below
from pytest_qwen_mtp.findings import Certainty, Finding, Severity


@dataclass(frozen=True, slots=True)
class Policy:
    """``fail_on``: the lowest severity that fails. ``strict``: a possible finding fails like a definite one.

    ``min_evidence``: entries of the registry with less (``evidence.LEVELS``) fail nothing; None: all may, but a
    critical one with one reporter is never definite.
    """

    fail_on: Severity = Severity.HIGH
    strict: bool = False
    min_evidence: str | None = None


def fails(finding: Finding, policy: Policy) -> bool:
    """Whether this finding fails the item it belongs to."""
    if finding.suppressed is not None or finding.in_baseline or finding.severity < policy.fail_on:
        return False
    if is_below(finding.evidence, policy.min_evidence):
        return False
    return policy.strict or finding.certainty is Certainty.DEFINITE


def order(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first: by severity, then definite before possible, then by place and rule."""
    return sorted(
        findings,
        key=lambda each: (
            -each.severity,
            each.certainty is not Certainty.DEFINITE,
            each.place.path,
            each.place.line or 0,
            each.place.column or 0,
            each.rule,
        ),
    )
