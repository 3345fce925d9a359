"""The commands of the reports through the whole gate: what is expected is told, and nothing bad about what works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import words_of

from pytest_qwen_mtp.check import check_profile
from pytest_qwen_mtp.findings import Certainty, Finding, Place, Severity
from pytest_qwen_mtp.profiles.model import Command, Evidence, ServeProfile, Word
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.rules import RULES

CASES = yaml.safe_load((Path(__file__).parents[1] / "registry" / "reports.yaml").read_text(encoding="utf-8"))
FLAGS = {"sglang-case-22": {"renamed-flag"}, "sglang-case-26": {"unknown-flag"}}
HERE = Place("serve.sh", 1, 1)


def findings(case: dict[str, Any]) -> tuple[Finding, ...]:
    stated = str(case["engine_version"])
    release = re.match(r"(\d+\.\d+\.\d+[\w.+]*)(?=$| [(/])", stated)
    words = words_of(case["command"])
    env: dict[str, Word | None] = {}
    while "=" in words[0].text and not words[0].text.startswith("-"):
        name, _, value = words[0].text.partition("=")
        env[name] = Word(value, words.pop(0).place)
    profile = ServeProfile(
        path="serve.sh",
        service="server",
        place=HERE,
        engine=case["engine"],
        engine_evidence=Evidence("the report"),
        version=release[1] if release else None,
        version_evidence=Evidence("the report"),
        image=None,
        commands=(Command(tuple(words), env, place=HERE),),
        env=env,
        stated={"platform": next((name for name in ("rocm", "ascend") if name in stated), "cuda")},
    )
    return check_profile(profile, load_registry(), RULES).findings


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_rules_add_nothing_that_is_not_so(case: dict[str, Any]) -> None:
    """Three dots stand where a report was cut; two commands carry an option that their release does not have."""
    own = {each.rule for each in findings(case) if each.check != "known-bugs" and each.severity > Severity.LOW}
    expected = {"invalid-speculative-config"} if "..." in case["command"] else set()
    assert own == expected | FLAGS.get(case["id"], set())


@pytest.mark.parametrize("case", [case for case in CASES if not case["expect"]], ids=lambda case: case["id"])
def test_what_works_is_told_nothing_definite_that_is_bad(case: dict[str, Any]) -> None:
    bad = [each.rule for each in findings(case) if each.severity >= Severity.HIGH]
    definite = {each.rule for each in findings(case) if each.certainty is Certainty.DEFINITE}
    assert [each for each in bad if each in definite] == []


@pytest.mark.parametrize("case", [case for case in CASES if case["expect"]], ids=lambda case: case["id"])
def test_each_trouble_is_told_under_its_own_or_its_rules_name(case: dict[str, Any]) -> None:
    names = {name for each in findings(case) for name in (each.rule, *each.aliases)}
    wanted = [load_registry().get(each["entry"]) for each in case["expect"]]
    assert {entry.id for entry in wanted if entry is not None} <= names
