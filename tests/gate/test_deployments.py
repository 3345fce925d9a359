"""What the rules say about each deployment file, and what a broken file is told as: exactly what is expected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_qwen_mtp.check import check_profile, from_problem
from pytest_qwen_mtp.profiles.load import LoadOptions, load
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.rules import RULES

DEPLOYMENTS = Path(__file__).parent.parent / "profiles" / "deployments"
EXPECTED: list[dict[str, Any]] = yaml.safe_load((DEPLOYMENTS / "expected.yaml").read_text(encoding="utf-8"))
OURS = {rule.id for rule in RULES}


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda each: each["file"])
def test_the_rules_say_what_must_be_reported_and_nothing_else(expected: dict[str, Any]) -> None:
    loaded = load([DEPLOYMENTS / expected["file"]], LoadOptions())
    registry = load_registry()
    checked = [check_profile(profile, registry, RULES) for profile in loaded.profiles]
    findings = [finding for each in checked for finding in each.findings]
    findings += [from_problem(problem) for problem in loaded.problems]
    told = {finding.rule for finding in findings}
    assert told & OURS == set(expected.get("must_report") or ()) & OURS
    if not expected.get("refused"):
        assert not loaded.problems
