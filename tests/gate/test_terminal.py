from __future__ import annotations

from typing import Any

from pytest_qwen_mtp.findings import Severity
from pytest_qwen_mtp.policy import Policy
from pytest_qwen_mtp.reports.tally import Tally
from pytest_qwen_mtp.reports.terminal import summary_lines


def finding(rule: str, severity: str = "high", certainty: str = "possible", line: int = 3) -> dict[str, Any]:
    return {
        "rule": rule,
        "severity": severity,
        "certainty": certainty,
        "path": "compose.yaml",
        "line": line,
        "column": 5,
        "when": None,
        "message": "it breaks",
        "why": [{"text": "the GPU is not known", "holds": None, "place": None}],
        "suppressed": None,
        "evidence": None,
        "in_baseline": False,
    }


def tally(*findings: dict[str, Any], version: str | None = "0.32.0", unresolved: tuple[str, ...] = ()) -> Tally:
    found = Tally()
    profile = {"engine_version": version, "commands": [{}, {}], "unresolved": list(unresolved)}
    found.add(("compose.yaml", "qwen"), {"findings": list(findings), "profile": profile})
    return found


def lines(found: Tally, fail_on: str = "high", strict: bool = False, verbose: bool = False) -> list[str]:
    return list(summary_lines(found, Policy(Severity.parse(fail_on), strict), verbose))


def test_nothing_found_is_one_line() -> None:
    assert lines(tally()) == ["1 profile in 1 file, 2 commands: no findings"]


def test_what_fails_is_counted_and_not_repeated() -> None:
    assert lines(tally(finding("a", certainty="definite"))) == ["1 profile in 1 file, 2 commands: 1 high"]


def test_what_fails_nothing_is_listed_by_rule_the_worst_first() -> None:
    found = tally(finding("low", "low", "definite"), finding("maybe", "critical"), finding("maybe", "critical", line=9))
    assert lines(found) == [
        "1 profile in 1 file, 2 commands: 1 low; 2 critical possible",
        "  compose.yaml:3:5: possible critical maybe (2 times): it breaks",
        "  compose.yaml:3:5: low low: it breaks",
    ]
    assert lines(found, strict=True)[1:] == ["  compose.yaml:3:5: low low: it breaks"]


def test_a_long_list_is_cut_and_shown_in_full_when_asked() -> None:
    found = tally(*(finding(f"rule-{number}") for number in range(9)))
    assert lines(found)[-1] == "  and 4 more (-v shows all)"
    full = lines(found, verbose=True)
    assert len(full) == 1 + 2 * 9
    assert full[2] == "    not known: the GPU is not known"


def test_what_was_not_seen_is_told() -> None:
    found = tally(version=None, unresolved=("A", "B"))
    seen = {"what": "a Kubernetes manifest; this kind of file is not read yet", "line": None, "column": None}
    found.add_not_seen([{**seen, "path": "a.yaml"}, {**seen, "path": "b.yaml"}, {**seen, "path": "a.yaml"}])
    assert lines(found)[1:] == [
        "not seen:",
        "  the engine version of 1 profile (state it with --mtp-engine-version or x-qwen-mtp)",
        "  the value of A, B",
        "  a.yaml and 1 more: a Kubernetes manifest; this kind of file is not read yet",
    ]


def test_a_server_told_by_two_processes_counts_once() -> None:
    found = tally(finding("a"))
    profile = {"engine_version": None, "commands": [{}], "unresolved": []}
    found.add(("compose.yaml", "qwen"), {"findings": [finding("a")], "profile": profile})
    assert lines(found)[0] == "1 profile in 1 file, 2 commands: 1 high possible"
