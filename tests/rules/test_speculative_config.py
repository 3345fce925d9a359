"""The value of --speculative-config: what no release reads, what this one refuses, and a count that is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from started import command, only, told

from pytest_qwen_mtp.findings import Certainty

RULE = "invalid-speculative-config"


def spec(value: str, image: str = "vllm/vllm-openai:v0.32.0", model: str = "Qwen/Qwen3.6-27B") -> str:
    return command(f"{model}, --speculative-config, '{value}'", image)


@pytest.mark.parametrize(
    ("value", "reason", "change"),
    [
        ("{method:mtp,num_speculative_tokens:2}", "the double quotes are gone", "JSON object in single quotes"),
        ("{''method'':''mtp''}", "JSON wants double quotes", "JSON object in single quotes"),
        ('{"method":"mtp","num_speculative_token":2}', "knows no key", "write num_speculative_tokens"),
        ('{"method":"mtp","num_speculative_tokens":0}', "is 0", "1 or more"),
        ('{"method":"mtp","num_speculative_tokens":"two"}', "'two'", "write integer"),
        ("mtp", "which is not JSON", "JSON object in single quotes"),
    ],
)
def test_what_the_release_refuses(tmp_path: Path, value: str, reason: str, change: str) -> None:
    found = [each for each in told(tmp_path, spec(value)) if each.certainty is Certainty.DEFINITE]
    finding = only(found, RULE)
    assert reason in finding.why[0].text
    assert finding.fix is not None
    assert change in finding.fix.text


@pytest.mark.parametrize(
    ("value", "image", "model", "certainty"),
    [
        ('{"method":"mtp"}', "vllm/vllm-openai:v0.26.0", "Qwen/Qwen3.6-27B", "definite"),
        ('{"method":"mtp"}', "vllm/vllm-openai:v0.32.0", "Qwen/Qwen3.6-27B", "definite"),
        ('{"method":"mtp"}', "vllm/vllm-openai:v0.26.0", "/models/ours", "definite"),
        ('{"method":"ngram"}', "vllm/vllm-openai:v0.32.0", "Qwen/Qwen3.6-27B", "definite"),
        ('{"method":"suffix"}', "vllm/vllm-openai:v0.32.0", "Qwen/Qwen3.6-27B", None),
    ],
)
def test_a_count_that_is_missing(tmp_path: Path, value: str, image: str, model: str, certainty: str | None) -> None:
    found = told(tmp_path, spec(value, image, model))
    assert [(each.rule, str(each.certainty)) for each in found] == ([] if certainty is None else [(RULE, certainty)])


@pytest.mark.parametrize("image", ["registry.internal/engine@sha256:" + "0d" * 32, "vllm/vllm-openai:v0.99.0"])
def test_no_json_is_refused_by_every_release(tmp_path: Path, image: str) -> None:
    text = spec("{method:mtp}", image).replace("command: [", "command: [vllm, serve, ")
    assert RULE in [each.rule for each in told(tmp_path, text)]


def test_a_value_that_a_variable_gives_is_not_judged(tmp_path: Path) -> None:
    assert RULE not in [each.rule for each in told(tmp_path, spec("${DRAFT}"))]
