"""What the gate says about each example: exact rule ids, definite and possible."""

from __future__ import annotations

import json
import re

import pytest
from pages import ROOT

PROFILES = ROOT / "examples" / "profiles"
EXPECTED: dict[str, dict[str, str]] = {
    "clean": {},
    "prefix-cache": {"vllm-43559": "definite", "vllm-51812": "definite"},
    "lost-quotes": {
        "invalid-speculative-config": "definite",
        "vllm-39273": "possible",
        "vllm-40756": "possible",
        "vllm-deprecated-mtp-method": "possible",
    },
    "sglang-renamed": {
        "renamed-flag": "definite",
        "sglang-34239": "possible",
    },
    "own-image": {"vllm-39273": "definite"},
    "native": {"vllm-52069": "definite"},
    "scripts": {"vllm-43559": "possible", "vllm-51812": "possible"},
    "unpinned": {
        "version-unpinned": "definite",
        "vllm-36917": "possible",
        "vllm-43559": "possible",
        "vllm-51812": "possible",
        "vllm-53912": "possible",
        "vllm-54360": "possible",
        "vllm-async-gdn-race": "possible",
    },
}
FAILING = {"prefix-cache", "lost-quotes", "sglang-renamed", "own-image", "native"}


def test_every_example_has_its_expectation() -> None:
    assert {path.name for path in PROFILES.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_gives_exactly_these_findings(desk: pytest.Pytester, name: str) -> None:
    result = desk.runpytest_inprocess("--mtp-profiles", f"examples/profiles/{name}", "--mtp-report", "json=report.json")
    report = json.loads((desk.path / "report.json").read_text(encoding="utf-8"))
    assert {found["rule"]: found["certainty"] for found in report["findings"]} == EXPECTED[name]
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
    assert set(rows) == set(EXPECTED)
    for name, outcome in rows.items():
        assert outcome.startswith("fails") is (name in FAILING)
        assert set(re.findall(r"`([a-z0-9]+-[a-z0-9-]+)`", outcome)) <= set(EXPECTED[name])
