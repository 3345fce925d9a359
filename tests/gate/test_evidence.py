"""The threshold on evidence, and entries of the user's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_qwen_mtp.evidence import LEVELS, ONE_REPORTER, is_below, parse_evidence, with_threshold
from pytest_qwen_mtp.findings import Certainty, Finding, Place, Reason, Severity
from pytest_qwen_mtp.policy import Policy, fails
from pytest_qwen_mtp.registry.entry import EVIDENCE

PROFILE = "services: {qwen: {image: 'vllm/vllm-openai:v0.28.0', command: [--model, a/b, --max-num-seqs, '3']}}\n"
ENTRY = """\
id: vllm-99999
title: A test entry that stands for nothing
engine: vllm
severity: {severity}
affected:
  - introduced: "0.28.0"
when:
  max_num_seqs: 3
symptom: Something is wrong with the server of this test.
silent: false
impact: Nobody is hit by it, it is a test.
workarounds:
  - text: do nothing
references: [vllm-project/vllm#99999]
evidence: {evidence}
last_checked: 2026-11-30
live: nothing to see
examples:
  bad:
    - {{version: "0.28.0", command: vllm serve x --max-num-seqs 3}}
  good:
    - {{version: "0.28.0", command: vllm serve y}}
"""


def finding(evidence: str | None, *why: Reason, severity: Severity = Severity.CRITICAL, **more: Any) -> Finding:
    certainty = Certainty.POSSIBLE if why else Certainty.DEFINITE
    place = Place("a.yaml", 1, 1)
    return Finding("a", severity, certainty, place, "it breaks", "known-bugs", why=why, evidence=evidence, **more)


def test_the_levels_are_those_of_the_entries_from_the_weakest() -> None:
    assert tuple(reversed(LEVELS)) == EVIDENCE


def test_a_level_may_have_dashes() -> None:
    assert parse_evidence("Several-Reporters") == parse_evidence(" several  reporters ") == "several reporters"
    with pytest.raises(ValueError, match="unknown evidence 'sure'; expected one of read in source"):
        parse_evidence("sure")


def test_only_entries_below_the_level_fail_nothing() -> None:
    for index, least in enumerate(LEVELS):
        assert [is_below(each, least) for each in LEVELS] == [position < index for position in range(len(LEVELS))]
        policy = Policy(Severity.HIGH, strict=True, min_evidence=least)
        assert [fails(finding(each), policy) for each in LEVELS] == [position >= index for position in range(5)]
        assert fails(finding(None), policy)
    assert all(fails(finding(each), Policy()) for each in LEVELS)


def test_one_reporter_is_enough_where_the_user_says_so() -> None:
    waiting = finding("one reporter", Reason("k is 2"), ONE_REPORTER)
    assert with_threshold(waiting, None) is waiting
    assert with_threshold(waiting, "several reporters") is waiting
    sure = with_threshold(waiting, "one reporter")
    assert (sure.certainty, sure.why) == (Certainty.DEFINITE, (Reason("k is 2"),))
    open_still = finding("one reporter", Reason("the GPU is not known", None), ONE_REPORTER)
    assert with_threshold(open_still, "one reporter").certainty is Certainty.POSSIBLE
    branch = finding("one reporter", ONE_REPORTER, when="A is set")
    assert with_threshold(branch, "one reporter").certainty is Certainty.POSSIBLE


@pytest.fixture
def bugs(repository: pytest.Pytester) -> Path:
    for path in (repository.path / "profiles").iterdir():
        path.unlink()
    (repository.path / "profiles" / "compose.yaml").write_text(PROFILE, encoding="utf-8")
    return repository.mkdir("bugs")


def write(bugs: Path, severity: str = "high", evidence: str = "one reporter", name: str = "vllm-99999") -> None:
    (bugs / f"{name}.yaml").write_text(ENTRY.format(severity=severity, evidence=evidence), encoding="utf-8")


RUN = ("--mtp-profiles", "profiles", "--mtp-registry", "bugs")


@pytest.mark.parametrize(
    ("severity", "evidence", "least", "failed"),
    [
        ("high", "one reporter", None, True),
        ("high", "one reporter", "one reporter", True),
        ("high", "one reporter", "several-reporters", False),
        ("high", "read in source", "one-reporter", False),
        ("critical", "one reporter", None, False),
        ("critical", "one reporter", "one-reporter", True),
        ("critical", "confirmed", "confirmed", True),
    ],
)
def test_what_fails_in_a_run(
    repository: pytest.Pytester, bugs: Path, severity: str, evidence: str, least: str | None, failed: bool
) -> None:
    write(bugs, severity, evidence)
    result = repository.runpytest_inprocess(*RUN, *(("--mtp-min-evidence", least) if least else ()))
    assert result.ret == (pytest.ExitCode.TESTS_FAILED if failed else pytest.ExitCode.OK)
    assert "vllm-99999" in result.stdout.str()


def test_a_level_that_is_none_is_wrong_usage(repository: pytest.Pytester, bugs: Path) -> None:
    result = repository.runpytest_inprocess(*RUN[:2], "--mtp-min-evidence", "sure")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --mtp-min-evidence: unknown evidence 'sure'; expected one of *"])


def test_folders_in_the_ini_file_count_from_there(repository: pytest.Pytester, bugs: Path) -> None:
    write(bugs)
    repository.makeini("[pytest]\nmtp_registry = bugs\nmtp_min_evidence = one reporter\n")
    assert repository.runpytest_inprocess("--mtp-profiles", "profiles").ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("silence: vllm-0\nreason: x\n", "*bugs/one.yaml: silence names vllm-0, which is no entry"),
        ("silence: vllm-43559\n", "*bugs/one.yaml:1:1: reason: expected why it is not to be told, found None"),
        ("silence: 3\nreason: x\n", "*bugs/one.yaml:1:10: silence: expected the id of an entry, found 3"),
        ("silence: L457\nreason: x\nid: y\n", "*bugs/one.yaml:3:5: id: unknown beside silence*"),
        ("id: one\n", "*bugs/one.yaml:1:1: the file: 'title' is a required property*"),
    ],
)
def test_a_mistake_in_an_own_entry_is_wrong_usage_with_its_place(
    repository: pytest.Pytester, bugs: Path, text: str, message: str
) -> None:
    (bugs / "one.yaml").write_text(text, encoding="utf-8")
    result = repository.runpytest_inprocess(*RUN)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_a_folder_that_is_not_there_is_wrong_usage(repository: pytest.Pytester) -> None:
    result = repository.runpytest_inprocess("--mtp-profiles", "profiles", "--mtp-registry", "nowhere")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*nowhere: no such folder*"])


def test_a_silenced_entry_is_not_told_and_the_report_says_so(repository: pytest.Pytester, bugs: Path) -> None:
    write(bugs)
    (bugs / "quiet.yaml").write_text("silence: VLLM-99999\nreason: we run a fixed build\n", encoding="utf-8")
    result = repository.runpytest_inprocess(*RUN, "--mtp-report", "json=r.json")
    assert result.ret == pytest.ExitCode.OK
    report = json.loads((repository.path / "r.json").read_text(encoding="utf-8"))
    assert report["registry"]["silenced"] == [{"id": "vllm-99999", "reason": "we run a fixed build"}]
    assert "vllm-99999" not in [each["rule"] for each in report["findings"]]
