"""Every rule has docs under the same headings, and examples that prove it."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import pytest_qwen_mtp
from pytest_qwen_mtp.check import CHECKS, check_profile
from pytest_qwen_mtp.findings import Certainty
from pytest_qwen_mtp.profiles.load import LoadOptions, load
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.rules import RULES
from pytest_qwen_mtp.rules.checkpoints import CHECKPOINTS
from pytest_qwen_mtp.rules.explain import explain, list_all, nearest
from pytest_qwen_mtp.rules.model import Rule
from pytest_qwen_mtp.rules.problems import PROBLEMS

PACKAGE = Path(pytest_qwen_mtp.__file__).parent
HEADINGS = ["What it is", "Whom it hits", "How to see it", "What to change"]
SUPPORT = {"__init__", "checkpoints", "explain", "model", "page", "precedence", "problems"}


def headings(doc: str) -> list[str]:
    return [line for line in doc.splitlines() if line and not line.startswith(" ")]


def test_the_list_names_every_rule_module() -> None:
    modules = {path.stem for path in (PACKAGE / "rules").glob("*.py")} - SUPPORT
    assert {rule.id.replace("-", "_") for rule in RULES} == modules
    for rule in RULES:
        module = importlib.import_module(f"pytest_qwen_mtp.rules.{rule.id.replace('-', '_')}")
        assert module.RULE is rule


def test_no_id_is_used_twice() -> None:
    ids = [line.id for line in list_all(load_registry())]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_documented(rule: Rule) -> None:
    assert headings(rule.doc) == HEADINGS
    assert rule.check in CHECKS
    assert any((rule.of_profile, rule.of_command, rule.of_problem))
    assert rule.examples.bad
    assert rule.examples.good


def found(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "compose.yaml"
    path.write_text(text, encoding="utf-8")
    loaded = load([path], LoadOptions())
    assert not loaded.problems
    (profile,) = loaded.profiles
    return [finding.rule for finding in check_profile(profile, load_registry(), RULES).findings]


@pytest.mark.parametrize(
    ("rule", "text"), [(rule.id, text) for rule in RULES for text in rule.examples.bad], ids=lambda each: each[:30]
)
def test_a_bad_example_is_found(tmp_path: Path, rule: str, text: str) -> None:
    assert found(tmp_path, text).count(rule) == 1


@pytest.mark.parametrize(
    ("rule", "text"), [(rule.id, text) for rule in RULES for text in rule.examples.good], ids=lambda each: each[:30]
)
def test_a_good_example_is_not(tmp_path: Path, rule: str, text: str) -> None:
    assert rule not in found(tmp_path, text)


def test_a_script_without_a_model_may_be_given_one(tmp_path: Path) -> None:
    path = tmp_path / "start.sh"
    path.write_text('#!/bin/bash\nexec vllm serve "$1" --port 8000\n', encoding="utf-8")
    (profile,) = load([path], LoadOptions()).profiles
    findings = {each.rule: each for each in check_profile(profile, load_registry(), RULES).findings}
    assert findings["empty-model"].certainty is Certainty.POSSIBLE
    assert findings["unresolved-variable"].message.startswith("argument 1 of the script has no value")


def kinds_of(module: Path) -> set[str]:
    """The ids that a reader gives its problems: first arguments of ``Problem(…)`` and of the readers' short forms."""
    kinds = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Problem", "_refuse", "_make"):
            kinds |= {each.value for each in node.args[:1] if isinstance(each, ast.Constant)}
    return kinds


def test_every_problem_that_a_reader_can_give_has_a_page() -> None:
    given = set().union(*(kinds_of(path) for path in PACKAGE.rglob("*.py")))
    assert {"invalid-yaml", "mtp-head-absent"} <= given
    assert given <= {*PROBLEMS, *CHECKPOINTS, *(rule.id for rule in RULES)}


@pytest.mark.parametrize("page", [*PROBLEMS.values(), *CHECKPOINTS.values()], ids=lambda page: page.id)
def test_a_page_has_the_headings_of_a_rule(page: object) -> None:
    assert headings(page.doc) == HEADINGS  # type: ignore[attr-defined]


def test_explain_knows_ids_and_aliases_in_any_case() -> None:
    registry = load_registry()
    entry = next(entry for entry in registry.entries if entry.aliases)
    assert explain(entry.aliases[0].upper(), registry) == explain(entry.id, registry)
    for line in list_all(registry):
        page = explain(line.id, registry)
        assert page is not None
        assert page.startswith(f"# {line.id}: ")
        assert [each for each in page.splitlines() if each.startswith("## ")][:4] == [f"## {each}" for each in HEADINGS]
    assert explain("nothing-like-it", registry) is None


def test_the_nearest_names_come_first() -> None:
    registry = load_registry()
    assert nearest("version-unpined", registry)[0] == "version-unpinned"
    assert "vllm-43559" in nearest("43559", registry)
    assert nearest("zzzzzzzz", registry) == []


def test_the_list_of_one_engine() -> None:
    engines = {line.engine for line in list_all(load_registry(), engine="sglang")}
    assert engines == {"sglang", None}
