from __future__ import annotations

import pytest

from pytest_qwen_mtp.findings import Certainty, Finding, Place, Severity
from pytest_qwen_mtp.policy import Policy, fails, order


def finding(severity: str, certainty: str = "definite", line: int = 1, suppressed: bool = False) -> Finding:
    return Finding(
        rule="a-rule",
        severity=Severity.parse(severity),
        certainty=Certainty(certainty),
        place=Place("compose.yaml", line, 1),
        message="it breaks",
        check="known-bugs",
        suppressed={"reason": "patched", "until": None} if suppressed else None,
    )


@pytest.mark.parametrize(
    ("severity", "certainty", "fail_on", "strict", "expected"),
    [
        ("high", "definite", "high", False, True),
        ("critical", "definite", "high", False, True),
        ("medium", "definite", "high", False, False),
        ("medium", "definite", "medium", False, True),
        ("low", "definite", "low", False, True),
        ("high", "definite", "critical", False, False),
        ("critical", "possible", "high", False, False),
        ("critical", "possible", "high", True, True),
        ("medium", "possible", "high", True, False),
    ],
)
def test_what_fails(severity: str, certainty: str, fail_on: str, strict: bool, expected: bool) -> None:
    assert fails(finding(severity, certainty), Policy(Severity.parse(fail_on), strict)) is expected


def test_a_suppressed_finding_fails_nothing() -> None:
    assert not fails(finding("critical", suppressed=True), Policy(Severity.LOW, strict=True))


def test_the_worst_comes_first() -> None:
    low, possible = finding("low"), finding("critical", "possible")
    first, second = finding("critical", line=2), finding("critical", line=9)
    assert order([low, possible, second, first]) == [first, second, possible, low]
