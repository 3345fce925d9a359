"""The page about the linter names every rule, with the severity that the rule has."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.rules import RULES

PAGE = (Path(__file__).parents[2] / "docs" / "linter.md").read_text(encoding="utf-8")


def test_every_rule_is_in_a_table_with_its_severity() -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([a-z, ]+) \|", PAGE, re.M))
    assert rows.keys() == {rule.id for rule in RULES}
    assert {rule.id: rows[rule.id].split(", ")[0] for rule in RULES} == {rule.id: str(rule.severity) for rule in RULES}


def test_every_entry_that_is_named_is_there() -> None:
    named = set(re.findall(r"`((?:vllm|sglang)-[a-z0-9-]+)`", PAGE))
    assert named
    assert [each for each in named if load_registry().get(each) is None] == []
