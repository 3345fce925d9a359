"""Findings: certainty, place, reasons, fix."""

from __future__ import annotations

import pytest
from commands import subject_of

from pytest_qwen_mtp.findings import Certainty, Finding, Severity
from pytest_qwen_mtp.profiles.model import Engine
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.registry.match import match

MTP = """--speculative-config '{"method":"mtp","num_speculative_tokens":3}'"""
CACHED = f"vllm serve Qwen/Qwen3.6-27B-FP8 {MTP} --enable-prefix-caching --max-num-seqs 8"


def findings(command: str, version: str | None, engine: Engine = "vllm", **more: str | None) -> dict[str, Finding]:
    found = match(load_registry(), subject_of(engine, command, version, **more))
    return {each.rule: each for each in found}


def test_a_definite_finding_says_what_why_where_and_what_to_change() -> None:
    found = findings(CACHED, "0.24.0")["vllm-43559"]
    assert found.certainty is Certainty.DEFINITE
    assert found.severity is Severity.CRITICAL
    assert (found.check, found.service) == ("known-bugs", "server")
    assert found.message.startswith("Requests that reuse a cached prefix get wrong")
    assert (found.place.line, found.place.column) == (1, CACHED.index("--enable-prefix-caching") + 1)
    assert [each.holds for each in found.why] == [True] * len(found.why)
    texts = [each.text for each in found.why]
    assert texts[0] == "vLLM 0.24.0 is affected (0.15.0 to before 0.27.0) (stated)"
    assert "enable_prefix_caching is true (--enable-prefix-caching)" in texts
    assert found.fix is not None
    assert (found.fix.setting, found.fix.value) == ("enable_prefix_caching", False)
    assert found.fix.text.startswith("add --no-enable-prefix-caching (cost: ")
    assert "vllm-project/vllm#43559" in found.references


def test_an_unknown_version_makes_it_possible_and_says_so() -> None:
    found = findings(CACHED, None)["vllm-43559"]
    assert found.certainty is Certainty.POSSIBLE
    open_reasons = [each.text for each in found.why if each.holds is None]
    assert open_reasons == [
        "vLLM's version is not known (stated); would be definite for 0.15.0 to before 0.27.0",
    ]


def test_an_unknown_model_makes_it_possible_and_says_so() -> None:
    found = findings(CACHED.replace("Qwen/Qwen3.6-27B-FP8", "/model"), "0.24.0")["vllm-43559"]
    assert found.certainty is Certainty.POSSIBLE
    (reason,) = [each for each in found.why if each.holds is None]
    assert reason.text.startswith("model.type is not known")


@pytest.mark.parametrize("version", ["0.20.0", "0.27.1", "0.32.0", None])
def test_without_speculation_nothing_that_needs_it_is_told(version: str | None) -> None:
    assert findings("vllm serve Qwen/Qwen3.6-27B-FP8", version) == {}
    assert findings("sglang serve --model-path Qwen/Qwen3.6-27B-FP8", None, "sglang") == {}


def test_a_model_without_recurrent_layers_is_not_concerned() -> None:
    assert findings(f"vllm serve Qwen/Qwen3-32B {MTP} --enable-prefix-caching", "0.24.0") == {}


def test_one_reporter_is_never_a_definite_critical() -> None:
    command = "sglang serve --model-path Qwen/Qwen3.6-27B-FP8 --enable-hierarchical-cache"
    found = findings(command, "0.5.20", "sglang")["sglang-39830"]
    assert (found.severity, found.certainty) == (Severity.CRITICAL, Certainty.POSSIBLE)
    assert found.why[-1].holds is None
    assert "one reporter" in found.why[-1].text


def test_worst_first() -> None:
    severities = [each.severity for each in match(load_registry(), subject_of("vllm", CACHED, "0.24.0"))]
    assert severities == sorted(severities, reverse=True)
    assert len(set(severities)) > 1


def test_a_workaround_that_is_in_place_already_is_not_proposed() -> None:
    command = f"vllm serve Qwen/Qwen3.6-27B-FP8 {MTP} --no-enable-prefix-caching"
    found = findings(command.replace(":3}", ":2}"), "0.27.1")["vllm-40756"]
    assert found.fix is not None
    assert (found.fix.setting, found.fix.value) == ("speculative.num_speculative_tokens", 1)
    first = findings(CACHED, "0.27.1")["vllm-53912"].fix
    assert first is not None
    assert first.setting == "enable_prefix_caching"


def test_other_engines_entries_stay_out() -> None:
    assert all(rule.startswith("vllm-") for rule in findings(CACHED, None))
