"""A workaround that leads into another known trouble is not proposed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import subject_of

from pytest_qwen_mtp.findings import Certainty, Finding
from pytest_qwen_mtp.registry.entry import read_entry
from pytest_qwen_mtp.registry.load import Registry
from pytest_qwen_mtp.registry.match import match

COMMAND = "vllm serve Qwen/Qwen3.6-27B-FP8 --enable-prefix-caching --max-num-seqs 8"
BASE = """\
title: made up
engine: vllm
affected: [{introduced: "0.20.0"}]
symptom: It stops.
silent: false
impact: none
references: []
evidence: read in source
last_checked: "2026-12-01"
live: none
"""


def entry(name: str, severity: str, when: dict[str, Any], *workarounds: dict[str, Any], **more: Any) -> Any:
    data = {**yaml.safe_load(BASE), "id": name, "severity": severity, "when": when, "workarounds": list(workarounds)}
    return read_entry({**data, **more}, Path(f"{name}.yaml"))


CACHE_OFF = {"text": "turn it off", "set": {"enable_prefix_caching": False}}
FEWER = {"text": "fewer at once", "set": {"max_num_seqs": 4}}
TROUBLE = entry("trouble", "high", {"enable_prefix_caching": True}, CACHE_OFF, FEWER)


def told(*entries: Any, version: str = "0.30.0") -> Finding:
    found = match(Registry(entries), subject_of("vllm", COMMAND, version))
    (finding,) = [each for each in found if each.rule == "trouble"]
    return finding


def test_the_first_workaround_where_nothing_forbids_it() -> None:
    fix = told(TROUBLE).fix
    assert fix is not None
    assert (fix.setting, fix.value) == ("enable_prefix_caching", False)


def test_one_that_another_entry_forbids_is_passed_over() -> None:
    fix = told(TROUBLE, entry("other", "high", {"enable_prefix_caching": False}, FEWER)).fix
    assert fix is not None
    assert (fix.setting, fix.value) == ("max_num_seqs", 4)


def test_none_where_all_are_forbidden() -> None:
    others = [
        entry("other", "critical", {"enable_prefix_caching": False}, FEWER),
        entry("third", "high", {"max_num_seqs": 4}, FEWER),
    ]
    assert told(TROUBLE, *others).fix is None


@pytest.mark.parametrize(
    ("severity", "more"),
    [
        ("medium", {}),
        ("critical", {"evidence": "one reporter"}),
        ("high", {"affected": [{"introduced": "0.31.0"}]}),
        ("high", {"affected": [{"introduced": "0.20.0", "seen_to": "0.25.0"}]}),
    ],
    ids=["less bad", "only possible", "another release", "not seen on this release"],
)
def test_what_forbids_must_be_as_bad_and_certain(severity: str, more: dict[str, Any]) -> None:
    fix = told(TROUBLE, entry("other", severity, {"enable_prefix_caching": False}, FEWER, **more)).fix
    assert fix is not None
    assert fix.setting == "enable_prefix_caching"


def test_taking_speculation_away_takes_its_length_away_too() -> None:
    off = {"text": "take it away", "set": {"speculative.method": None}}
    bad = entry("trouble", "high", {"speculation": True}, off, FEWER)
    other = entry("other", "high", {"speculation": False, "k": 3}, FEWER)
    command = 'vllm serve Qwen/Qwen3.6-27B-FP8 -sc \'{"method":"mtp","num_speculative_tokens":3}\''
    (finding,) = match(Registry((bad, other)), subject_of("vllm", command, "0.30.0"))
    assert finding.certainty is Certainty.DEFINITE
    assert finding.fix is not None
    assert finding.fix.setting == "speculative.method"


def test_a_variable_is_changed_too() -> None:
    variable = {"text": "turn it off", "set": {"env.VLLM_USE_V2_MODEL_RUNNER": "0"}}
    bad = entry("trouble", "high", {"enable_prefix_caching": True}, variable, FEWER)
    other = entry("other", "high", {"env.VLLM_USE_V2_MODEL_RUNNER": "0"}, FEWER)
    fix = told(bad, other).fix
    assert fix is not None
    assert fix.setting == "max_num_seqs"
