"""SGLang's spellings and its choice of draft counts and caches."""

from __future__ import annotations

from typing import Any

import pytest
from settings_of import kinds, settings

from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Settings
from pytest_qwen_mtp.engines.settings import speculation
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.text import SourceText

SERVE = "sglang serve --model-path Qwen/Qwen3.6-27B-FP8"
NEXTN = f"{SERVE} --speculative-algorithm NEXTN"


def read(command: str, version: str | None = "0.5.23", **more: Any) -> Settings:
    return settings(command, version, engine="sglang", **more)


def test_given_settings_have_sglangs_names_and_the_common_ones() -> None:
    command = f"{NEXTN} --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4 --tp 2"
    found = read(command)
    assert speculation(found) == {"method": "NEXTN", "k": 3}
    assert found.value("model") == "Qwen/Qwen3.6-27B-FP8"
    assert found.value("tp_size") == 2
    assert found.value("speculative_num_draft_tokens") == 4
    assert found.problems == ()


def test_no_algorithm_is_no_speculation() -> None:
    assert speculation(read(SERVE)) is None
    assert read(SERVE).value("speculative.method") is None


@pytest.mark.parametrize(
    ("version", "counts"),
    [
        ("0.5.3", (5, 4, 8)),
        ("0.5.13", (3, 1, 4)),
        ("0.5.23", (3, 1, 4)),
        ("0.5.6", (UNKNOWN, UNKNOWN, UNKNOWN)),
        (None, (UNKNOWN, UNKNOWN, UNKNOWN)),
    ],
)
def test_draft_counts_that_nobody_gives(version: str | None, counts: tuple[Any, ...]) -> None:
    found = read(NEXTN, version)
    names = ("speculative_num_steps", "speculative_eagle_topk", "speculative_num_draft_tokens")
    assert tuple(found.value(name) for name in names) == counts
    assert found.value("max_running_requests") == 48


def test_draft_tokens_follow_from_steps_with_topk_1() -> None:
    found = read(f"{NEXTN} --speculative-num-steps 2 --speculative-eagle-topk 1")
    assert found.known["speculative_num_draft_tokens"].value == 3
    assert found.known["speculative_num_draft_tokens"].origin is Origin.IMPLIED


@pytest.mark.parametrize(
    ("version", "name", "strategy"),
    [
        ("0.5.13", "mamba_scheduler_strategy", "no_buffer"),
        ("0.5.23", "mamba_radix_cache_strategy", "extra_buffer"),
    ],
)
def test_the_strategy_of_hybrid_models_by_release(version: str, name: str, strategy: str) -> None:
    assert read(SERVE, version).value(name) == strategy
    assert read("sglang serve --model-path Qwen/Qwen3-8B", version).value(name) == "auto"


@pytest.mark.parametrize(
    ("version", "off"), [("0.5.3", True), ("0.5.9", True), ("0.5.13", False), ("0.5.23", False), ("0.5.6", UNKNOWN)]
)
def test_the_prefix_cache_with_speculation_by_release(version: str, off: Any) -> None:
    assert read(NEXTN, version).value("disable_radix_cache") is off
    assert read(SERVE, version).value("disable_radix_cache") is False


@pytest.mark.parametrize(
    ("version", "env", "overlap"),
    [
        ("0.5.10", {}, False),
        ("0.5.10", {"SGLANG_ENABLE_SPEC_V2": "1"}, True),
        ("0.5.13", {}, True),
        ("0.5.13", {"SGLANG_ENABLE_SPEC_V2": "0"}, False),
        ("0.5.23", {"SGLANG_ENABLE_SPEC_V2": "0"}, True),
        ("0.5.13", {"SGLANG_ENABLE_SPEC_V2": None}, UNKNOWN),
        (None, {}, UNKNOWN),
    ],
)
def test_overlap_of_drafting_by_release_and_variable(
    version: str | None, env: dict[str, str | None], overlap: Any
) -> None:
    assert read(NEXTN, version, env=env).value("speculative_v2") is overlap


@pytest.mark.parametrize(
    ("words", "version", "kind"),
    [
        ("--enable-prefix-caching", "0.5.23", "unknown-flag"),
        ("--model_path x", "0.5.23", "unknown-flag"),
        ("--mamba-scheduler-strategy extra_buffer", "0.5.23", "renamed-flag"),
        ("--mamba-radix-cache-strategy extra_buffer", "0.5.13", "not-yet-flag"),
        ("--speculative-algorithm MTP", "0.5.23", "unknown-spec-method"),
        ("--max-total-tokens 1.5Ki", "0.5.23", "invalid-flag-value"),
    ],
)
def test_what_the_release_refuses_is_told(words: str, version: str, kind: str) -> None:
    assert kinds(f"{SERVE} {words}", version, engine="sglang") == [kind]


def test_without_a_model_it_does_not_start() -> None:
    assert kinds("sglang serve --tp 2", "0.5.23", engine="sglang") == ["empty-model"]


def test_abbreviations_and_aliases() -> None:
    found = read("python3 -m sglang.launch_server --model M --mem-frac 0.85 --tensor-parallel-size 2")
    assert found.value("model") == "M"
    assert found.value("mem_fraction_static") == 0.85
    assert found.value("tp_size") == 2


def test_the_config_file() -> None:
    text = "tp-size: 2\nenable-metrics: true\ndisable-radix-cache: false\nspeculative-algorithm: EAGLE\n"
    files = FileView().with_written("/c.yaml", SourceText.of_file(text, "c.yaml"))
    found = read(f"{SERVE} --config /c.yaml --tp-size 4", files=files)
    assert found.value("tp_size") == 4
    assert found.value("enable_metrics") is True
    assert found.value("disable_radix_cache") is False
    assert found.value("speculative.method") == "EAGLE"
