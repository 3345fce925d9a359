"""A key in a deployment file reaches no output."""

from __future__ import annotations

import pytest

from pytest_qwen_mtp.reports.secrets import hide_line, hide_value, hide_words

KEY = "kestrel-4711-secret"


@pytest.mark.parametrize("name", ["HF_TOKEN", "VLLM_API_KEY", "OPENAI_APIKEY", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY"])
def test_a_variable_that_holds_a_secret_by_its_name(name: str) -> None:
    assert hide_value(name, KEY) == "***"
    assert hide_value(name, "${" + name + "}") == "${" + name + "}"
    assert hide_value(name, "") == ""


@pytest.mark.parametrize("name", ["TOKENIZERS_PARALLELISM", "MAX_TOKENS", "KEYBOARD", "VLLM_USE_V1"])
def test_other_variables_are_shown(name: str) -> None:
    assert hide_value(name, "value") == "value"


def test_a_value_that_looks_like_a_key_is_hidden_under_any_name() -> None:
    assert hide_value("NOTE", "hf_" + "a" * 34) == "***"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--api-key", KEY, "--port", "1"], ["--api-key", "***", "--port", "1"]),
        ([f"--api-key={KEY}"], ["--api-key=***"]),
        (["--api-key", KEY, KEY], ["--api-key", "***", "***"]),
        (["--api-key", "${API_KEY}"], ["--api-key", "${API_KEY}"]),
        (["--hf-token", KEY], ["--hf-token", "***"]),
        (["--max-num-batched-tokens", "8192"], ["--max-num-batched-tokens", "8192"]),
        (["--tokenizer", "a"], ["--tokenizer", "a"]),
    ],
)
def test_words(words: list[str], shown: list[str]) -> None:
    assert hide_words(words) == shown


@pytest.mark.parametrize(
    "line",
    [
        f"    command: m --api-key {KEY} --port 1",
        f'      HF_TOKEN: "{KEY}"',
        f"      - HF_TOKEN={KEY}",
        f"export VLLM_API_KEY='{KEY}'",
    ],
)
def test_a_quoted_line_keeps_its_columns(line: str) -> None:
    assert hide_line(line) == line.replace(KEY, "*" * len(KEY))


def test_a_line_without_a_secret_stays_as_it_is() -> None:
    for line in ("  HF_TOKEN: ${HF_TOKEN}", "  - --max-num-batched-tokens 8192", "  HF_TOKEN:", "--tokenizer auto"):
        assert hide_line(line) == line
