"""Derived names: MTP or not, SGLang's strategy, GPU classes, environment, checkpoint."""

from __future__ import annotations

from dataclasses import replace

import pytest
from commands import subject_of

from pytest_qwen_mtp.engines.model import UNKNOWN
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given, Reference
from pytest_qwen_mtp.registry.facts import Facts
from pytest_qwen_mtp.registry.gpu import gpu_names

SGLANG = "sglang serve --model-path Qwen/Qwen3.6-27B-FP8 --speculative-num-steps 3"


def vllm(config: str) -> Facts:
    return Facts(subject_of("vllm", f"vllm serve Qwen/Qwen3.6-27B --speculative-config '{config}'", "0.27.1"))


@pytest.mark.parametrize(
    ("config", "mtp", "speculation"),
    [
        ('{"method":"mtp","num_speculative_tokens":2}', True, True),
        ('{"method":"qwen3_next_mtp","num_speculative_tokens":2}', True, True),
        ('{"method":"ngram","num_speculative_tokens":2}', False, True),
        ('{"method":"dflash","num_speculative_tokens":2}', False, True),
    ],
)
def test_vllm_methods(config: str, mtp: bool, speculation: bool) -> None:
    facts = vllm(config)
    assert (facts.get("mtp").value, facts.get("speculation").value, facts.get("k").value) == (mtp, speculation, 2)


def test_no_speculation_is_known_to_be_off() -> None:
    facts = Facts(subject_of("vllm", "vllm serve Qwen/Qwen3.6-27B", "0.27.1"))
    assert facts.get("mtp").value is False
    assert facts.get("speculation").value is False


@pytest.mark.parametrize(
    ("options", "mtp"),
    [
        ("--speculative-algorithm NEXTN", True),
        ("--speculative-algorithm EAGLE", True),
        ("--speculative-algorithm EAGLE --speculative-draft-model-path Qwen/Qwen3.6-27B-FP8", True),
        ("--speculative-algorithm EAGLE --speculative-draft-model-path other/eagle-head", UNKNOWN),
        ("--speculative-algorithm EAGLE3", False),
        ("--speculative-algorithm DFLASH", False),
        ("", False),
    ],
)
def test_sglang_algorithms(options: str, mtp: object) -> None:
    assert Facts(subject_of("sglang", f"{SGLANG} {options}", "0.5.16")).get("mtp").value is mtp


@pytest.mark.parametrize(
    ("option", "version", "strategy"),
    [
        ("--mamba-scheduler-strategy extra_buffer", "0.5.13", "extra_buffer"),
        ("--mamba-scheduler-strategy extra_buffer", None, "extra_buffer"),
        ("--mamba-radix-cache-strategy no_buffer", "0.5.23", "no_buffer"),
    ],
)
def test_the_strategy_under_both_of_its_names(option: str, version: str | None, strategy: str) -> None:
    assert Facts(subject_of("sglang", f"{SGLANG} {option}", version)).get("mamba_strategy").value == strategy


@pytest.mark.parametrize(
    ("gpu", "names"),
    [
        ("rtx-3090", {"rtx-3090", "3090", "sm_86", "ampere"}),
        ("NVIDIA GeForce RTX 5090", {"rtx-5090", "sm_120", "blackwell"}),
        ("H100", {"h100", "hopper", "sm_90"}),
        ("DGX Spark", {"gb10", "sm_121", "blackwell"}),
        ("gb10", {"gb10", "sm_121"}),
        ("rtx-pro-6000", {"sm_120"}),
        ("RTX PRO 6000 Blackwell", {"sm_120"}),
        ("RTX 6000 Ada", {"sm_89"}),
        ("sm_120", {"sm_120", "blackwell"}),
        ("hopper", {"sm_90"}),
        ("310p3", {"ascend", "310p3"}),
        ("b200", {"sm_100"}),
        ("mi300x", {"rocm"}),
        ("apple-m1-pro", {"metal"}),
    ],
)
def test_gpu_classes(gpu: str, names: set[str]) -> None:
    found = gpu_names(gpu)
    assert found is not None
    assert names <= found


@pytest.mark.parametrize("gpu", ["blackwell", "tpu-v5e", "", "my fastest card"])
def test_a_gpu_of_unknown_class_is_unknown(gpu: str) -> None:
    assert gpu_names(gpu) is None
    assert Facts(subject_of("vllm", "vllm serve /model", gpu=gpu)).get("gpu").value is UNKNOWN


def test_gpu_classes_do_not_leak() -> None:
    assert "sm_100" not in (gpu_names("gb10") or ())
    assert "sm_121" not in (gpu_names("gb200") or ())
    assert "sm_86" not in (gpu_names("RTX 6000 Ada") or ())


def test_what_nobody_says_is_unknown_with_a_reason() -> None:
    facts = Facts(subject_of("vllm", "vllm serve /model", None, platform=None))
    for name in ("platform", "gpu", "image", "version", "model.type", "checkpoint.mtp"):
        fact = facts.get(name)
        assert fact.value is UNKNOWN, name
        assert fact.source, name


def test_environment() -> None:
    subject = subject_of("vllm", "A=1 vllm serve /model", env={"B": "2"})
    unset = Reference("TAG", Place("compose.yaml", 3, 9), Given.UNSET)
    env = {**subject.env, "C": None, "D": Word("", Place("compose.yaml", 3, 9), (unset,))}
    facts = Facts(replace(subject, env=env))
    assert [facts.get(f"env.{name}").value for name in "ABE"] == ["1", "2", None]
    assert facts.get("env.C").value is UNKNOWN
    assert facts.get("env.D").value is UNKNOWN
    assert "TAG" in facts.get("env.D").source
