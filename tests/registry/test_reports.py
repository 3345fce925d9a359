"""Real commands from reports and recipes: what each must be told, and what the good ones must not be told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import subject_of

from pytest_qwen_mtp.findings import Certainty, Finding, Severity
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.registry.match import match

CASES = yaml.safe_load((Path(__file__).parent / "reports.yaml").read_text(encoding="utf-8"))
REGISTRY = load_registry()

# Good cases that are told something definite all the same, and why that is true. None so far.
TRUE_ALL_THE_SAME: dict[str, dict[str, str]] = {}


def release_of(text: str) -> str | None:
    """The release that a report's own words name: "0.27.1 (V2 runner)", but not "main of June 2026" or ">=0.5.22"."""
    found = re.match(r"(\d+\.\d+\.\d+[\w.+]*)(?=$| [(/])", text)
    return found[1] if found else None


def platform_of(text: str) -> str | None:
    return "rocm" if "rocm" in text else "ascend" if "ascend" in text else "cuda"


def findings(case: dict[str, Any]) -> list[Finding]:
    stated = str(case["engine_version"])
    model = case["model"] if "MODEL" in case["command"] else None
    subject = subject_of(case["engine"], case["command"], release_of(stated), model, platform=platform_of(stated))
    return match(REGISTRY, subject)


EXPECTED = [
    pytest.param(case, expected, id=f"{case['id']}-{expected['entry']}")
    for case in CASES
    for expected in case["expect"]
    if REGISTRY.get(expected["entry"])
]
WORKING = [pytest.param(case, id=case["id"]) for case in CASES if not case["expect"]]


@pytest.mark.parametrize(("case", "expected"), EXPECTED)
def test_a_report_is_told_its_trouble(case: dict[str, Any], expected: dict[str, Any]) -> None:
    entry = REGISTRY.get(expected["entry"])
    assert entry is not None
    found = {each.rule: each for each in findings(case)}
    assert entry.id in found
    assert set(expected["upstream"]) <= set(found[entry.id].references)


@pytest.mark.parametrize("case", WORKING)
def test_what_works_is_told_nothing_definite_that_is_bad(case: dict[str, Any]) -> None:
    told = {
        each.rule for each in findings(case) if each.certainty is Certainty.DEFINITE and each.severity >= Severity.HIGH
    }
    assert told == set(TRUE_ALL_THE_SAME.get(case["id"], {}))


def test_a_drafter_with_its_own_moe_backend_is_not_told_about_the_targets() -> None:
    case = next(case for case in CASES if case["id"] == "vllm-case-32")
    assert "vllm-56832" not in {each.rule for each in findings(case)}


def test_the_rig_that_went_well_is_warned_and_not_stopped() -> None:
    case = next(case for case in CASES if case["id"] == "vllm-case-46")
    told = {each.rule: each.certainty for each in findings(case)}
    assert told["vllm-53912"] is Certainty.POSSIBLE


@pytest.mark.parametrize(
    ("stated", "version"),
    [
        ("0.27.1 (V2 runner)", "0.27.1"),
        ("0.17.0 / 0.17.1", "0.17.0"),
        ("0.26.1rc1.dev1424", "0.26.1rc1.dev1424"),
        ("0.5.12.post1 (rocm720-mi35x image)", "0.5.12.post1"),
        ("0.5.9-era main (2026-03-09)", None),
        ("2026-07 build", None),
        (">=0.5.22", None),
        ("any 0.5.3-0.5.23", None),
        ("recipe, minimum 0.17.0", None),
    ],
)
def test_how_the_release_is_read_from_a_report(stated: str, version: str | None) -> None:
    assert release_of(stated) == version
