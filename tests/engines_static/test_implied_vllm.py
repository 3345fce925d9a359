"""vLLM's own choices by release and model."""

from __future__ import annotations

from typing import Any

import pytest
from settings_of import settings

from pytest_qwen_mtp.engines.family import identify_model
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin
from pytest_qwen_mtp.engines.settings import read_settings

HYBRID = "vllm serve Qwen/Qwen3.6-27B-FP8"
DENSE = "vllm serve Qwen/Qwen3-8B"
UNTOLD = "vllm serve /model"
MTP = """ --speculative-config '{"method":"mtp","num_speculative_tokens":2}'"""


@pytest.mark.parametrize(
    ("command", "version", "expected"),
    [
        (HYBRID, "0.27.1", False),
        (HYBRID, "0.28.0", True),
        (HYBRID, "0.28.0rc1", False),
        (HYBRID, None, UNKNOWN),
        (DENSE, "0.27.1", True),
        (DENSE, None, True),
        (UNTOLD, "0.27.1", UNKNOWN),
        (UNTOLD, "0.32.0", True),
        (HYBRID + " --enable-prefix-caching", "0.26.0", True),
        ("vllm serve Qwen/Qwen3-Embedding-0.6B --runner pooling", "0.32.0", UNKNOWN),
    ],
)
def test_prefix_caching(command: str, version: str | None, expected: Any) -> None:
    assert settings(command, version).value("enable_prefix_caching") is expected


def test_what_is_not_known_says_what_it_is_where() -> None:
    source = settings(HYBRID, None).known["enable_prefix_caching"].source
    assert "off at first; on from 0.28.0 on" in source


@pytest.mark.parametrize(
    ("command", "version", "expected"),
    [
        (HYBRID, "0.27.1", "none"),
        (HYBRID, "0.28.0", "align"),
        (HYBRID + " --enable-prefix-caching", "0.26.0", "align"),
        (HYBRID + " --no-enable-prefix-caching", "0.32.0", "none"),
        (HYBRID + " --mamba-cache-mode all", "0.26.0", "all"),
        (HYBRID + " --mamba-cache-mode align --no-enable-prefix-caching", "0.32.0", "none"),
        (HYBRID + " --mamba-cache-mode align --enable-prefix-caching", "0.26.0", "align"),
        (HYBRID, None, UNKNOWN),
        (DENSE, "0.32.0", "none"),
        (UNTOLD, "0.32.0", UNKNOWN),
    ],
)
def test_mamba_cache_mode(command: str, version: str | None, expected: Any) -> None:
    assert settings(command, version).value("mamba_cache_mode") == expected


@pytest.mark.parametrize(
    ("words", "version", "expected"),
    [
        (MTP, "0.11.0", False),
        (MTP, "0.13.0", False),
        (MTP, "0.14.0", True),
        (MTP, "0.32.0", True),
        (MTP, None, UNKNOWN),
        (" --async-scheduling", "0.13.0", True),
        (MTP + " --no-async-scheduling", "0.32.0", False),
        (MTP + " -sc.disable_padded_drafter_batch=true -sc.method=mtp", "0.32.0", False),
        (MTP + " --pipeline-parallel-size 2", "0.32.0", True),
        (MTP + " --pipeline-parallel-size 2", "0.20.0", UNKNOWN),
        (MTP + " --distributed-executor-backend ray", "0.32.0", UNKNOWN),
        (""" --speculative-config '{"method":"ngram","num_speculative_tokens":2}'""", "0.32.0", False),
        (""" --speculative-config '{method:mtp}'""", "0.32.0", UNKNOWN),
    ],
)
def test_async_scheduling(words: str, version: str | None, expected: Any) -> None:
    assert settings(HYBRID + words, version).value("async_scheduling") is expected


def test_pipeline_parallelism_on_the_v1_runner_turns_async_scheduling_off() -> None:
    found = settings(HYBRID + MTP + " -pp 2", "0.32.0", env={"VLLM_USE_V2_MODEL_RUNNER": "0"})
    assert found.value("async_scheduling") is False


@pytest.mark.parametrize(
    ("command", "version", "env", "expected"),
    [
        (HYBRID, "0.28.0", {}, False),
        (HYBRID, "0.29.0", {}, True),
        (HYBRID, None, {}, UNKNOWN),
        (HYBRID, "0.27.1", {"VLLM_USE_V2_MODEL_RUNNER": "1"}, True),
        (HYBRID, "0.32.0", {"VLLM_USE_V2_MODEL_RUNNER": "0"}, False),
        (HYBRID, "0.32.0", {"VLLM_USE_V2_MODEL_RUNNER": None}, UNKNOWN),
        (HYBRID + " --enable-dbo", "0.32.0", {}, False),
        (DENSE, "0.28.0", {}, UNKNOWN),
    ],
)
def test_model_runner(command: str, version: str | None, env: dict[str, str | None], expected: Any) -> None:
    assert settings(command, version, env=env).value("use_v2_model_runner") is expected


def test_eager_mode_means_no_graphs() -> None:
    setting = settings(HYBRID + " --enforce-eager").known["compilation.cudagraph_mode"]
    assert (setting.value, setting.origin) == ("NONE", Origin.IMPLIED)


def test_what_the_machine_decides_is_unknown() -> None:
    setting = settings(HYBRID).known["max_num_seqs"]
    assert setting.value is UNKNOWN
    assert "70 GiB" in setting.source


def test_a_model_that_is_known_better_than_by_name() -> None:
    from settings_of import words

    model = identify_model("/model", {"model_type": "qwen3_5"})
    assert read_settings("vllm", "0.27.1", words(UNTOLD), model=model).value("enable_prefix_caching") is False
