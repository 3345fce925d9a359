"""What the gate says about each example, by rule ids."""

from __future__ import annotations

import json
import re

import pytest
from pages import ROOT

PROFILES = ROOT / "examples" / "profiles"
# Definite findings of severity medium and above: exactly these. Lower ones, and possible ones, grow with the registry.
DEFINITE: dict[str, set[str]] = {
    "clean": set(),
    "prefix-cache": {"vllm-43559", "vllm-51812"},
    "lost-quotes": {"invalid-speculative-config"},
    "sglang-renamed": {"renamed-flag"},
    "own-image": {"vllm-39273"},
    "native": {"vllm-52069"},
    "scripts": set(),
    "unpinned": {"version-unpinned"},
}
POSSIBLE: dict[str, set[str]] = {
    "scripts": {"vllm-43559"},
    "unpinned": {"vllm-43559", "vllm-53912", "vllm-54360"},
}
FAILING = {"prefix-cache", "lost-quotes", "sglang-renamed", "own-image", "native"}


def test_every_example_has_its_expectation() -> None:
    assert {path.name for path in PROFILES.iterdir()} == set(DEFINITE)


@pytest.mark.parametrize("name", DEFINITE)
def test_an_example_gives_these_findings(desk: pytest.Pytester, name: str) -> None:
    result = desk.runpytest_inprocess("--mtp-profiles", f"examples/profiles/{name}", "--mtp-report", "json=report.json")
    report = json.loads((desk.path / "report.json").read_text(encoding="utf-8"))
    definite = {each["rule"] for each in report["findings"] if each["certainty"] == "definite"}
    low = {each["rule"] for each in report["findings"] if each["severity"] == "low"}
    assert definite - low == DEFINITE[name]
    assert {each["rule"] for each in report["findings"]} >= POSSIBLE.get(name, set())
    assert len(report["profiles"]) == 1
    assert result.ret == (pytest.ExitCode.TESTS_FAILED if name in FAILING else pytest.ExitCode.OK)


def test_the_branch_of_the_script_is_named(desk: pytest.Pytester) -> None:
    desk.runpytest_inprocess("--mtp-profiles", "examples/profiles/scripts", "--mtp-report", "json=report.json")
    report = json.loads((desk.path / "report.json").read_text(encoding="utf-8"))
    assert {found["when"] for found in report["findings"]} == {"MTP=1"}


@pytest.mark.parametrize("arguments", [("--mtp-engine-version", "qwen=0.26.0"), ("--mtp-strict",)])
def test_the_moving_tag_fails_as_its_comment_says(desk: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    result = desk.runpytest_inprocess("--mtp-profiles", "examples/profiles/unpinned", *arguments)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_the_table_of_outcomes_is_right() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| \[([\w-]+)\].*\| ([^|]*) \|$", text, re.M))
    assert set(rows) == set(DEFINITE)
    for name, outcome in rows.items():
        assert outcome.startswith("fails") is (name in FAILING)
        assert set(re.findall(r"`([a-z0-9]+-[a-z0-9-]+)`", outcome)) <= DEFINITE[name] | POSSIBLE.get(name, set())
