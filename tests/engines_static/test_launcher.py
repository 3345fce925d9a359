"""The words before the options."""

from __future__ import annotations

import pytest
from settings_of import settings, words

from pytest_qwen_mtp.engines.settings import option_words
from pytest_qwen_mtp.profiles.model import Engine


@pytest.mark.parametrize(
    ("engine", "command", "options"),
    [
        ("vllm", "vllm serve M --port 1", "M --port 1"),
        ("vllm", "/srv/venv/bin/vllm serve M", "M"),
        ("vllm", "python3 -m vllm.entrypoints.openai.api_server --model M", "--model M"),
        ("vllm", "python -u -m vllm.entrypoints.cli.main serve M", "M"),
        ("vllm", "vllm bench latency --model M", "--model M"),
        ("vllm", "python3 -m dynamo.vllm --model M", "--model M"),
        ("vllm", "numactl --cpunodebind=0 vllm serve M", "M"),
        ("vllm", "vllm serve vllm serve M", "M"),
        ("vllm", "vllm serve python3 -m vllm.entrypoints.openai.api_server --model M", "--model M"),
        ("vllm", "--model M", "--model M"),
        ("sglang", "python -m sglang.launch_server --model-path M", "--model-path M"),
        ("sglang", "sglang serve --model-path M", "--model-path M"),
        ("llamacpp", "/app/llama-server -m M", "-m M"),
        ("llamacpp", "/app/tools.sh --server -m M", "-m M"),
        ("llamacpp", "--alias keel", "--alias keel"),
    ],
)
def test_the_program_is_taken_off(engine: Engine, command: str, options: str) -> None:
    assert [word.text for word in option_words(engine, words(command))] == options.split()


def test_a_program_named_twice_is_told_where_it_stands() -> None:
    found = settings("vllm serve vllm serve Qwen/Qwen3.6-27B", "0.26.0")
    assert [(each.kind, each.place.column) for each in found.problems] == [("duplicate-serve", 3)]
    assert found.value("model") == "Qwen/Qwen3.6-27B"


def test_a_program_with_options_of_its_own_is_not_judged() -> None:
    command = "python3 -m dynamo.vllm --model M --dyn-tool-call-parser qwen3_coder --max-model-len 1k"
    found = settings(command)
    assert found.problems == ()
    assert found.value("max_model_len") == 1000
