"""Which engine do these words start, and how do we know?"""

from __future__ import annotations

import shlex

import pytest

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.identify import identify, program_length
from pytest_qwen_mtp.profiles.image import read_image
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given, Reference

PLACE = Place("run.sh", 4, 1)


def words(text: str) -> list[Word]:
    return [Word(each, Place("run.sh", 4, 1 + index)) for index, each in enumerate(shlex.split(text))]


def look(text: str, image: str | None = None, env: dict[str, Word | None] | None = None):
    return identify(words(text), read_image(Word(image, PLACE)) if image else None, env or {})


@pytest.mark.parametrize(
    ("text", "engine", "length"),
    [
        ("vllm serve m", "vllm", 2),
        ("/opt/engines/bin/vllm serve m", "vllm", 2),
        ("python3 -m vllm.entrypoints.openai.api_server --model m", "vllm", 3),
        ("/opt/venv/bin/python3.12 -u -m vllm.entrypoints.openai.api_server --model m", "vllm", 4),
        ("python -um vllm.entrypoints.openai.api_server", "vllm", 3),
        ("python -mvllm.entrypoints.openai.api_server", "vllm", 2),
        ("python -W ignore -X dev -m vllm.entrypoints.api_server", "vllm", 7),
        ("python3 -m vllm.entrypoints.cli.main serve m", "vllm", 4),
        ("python3 -m vllm serve m", "vllm", 4),
        ("python3 /opt/venv/bin/vllm serve m", "vllm", 3),
        ("python3 /usr/lib/python3/dist-packages/vllm/entrypoints/openai/api_server.py --model m", "vllm", 2),
        ("python3 -m dynamo.vllm --model m", "vllm", 3),
        ("python3 -m dynamo.sglang --model m", "sglang", 3),
        ("python3 -m sglang.launch_server --model-path m", "sglang", 3),
        ("python3 -m sglang.srt.entrypoints.http_server", "sglang", 3),
        ("sglang serve --model-path m", "sglang", 2),
        ("/app/llama-server -m m", "llamacpp", 1),
        ("C:/llama/llama-server.exe -m m", "llamacpp", 1),
        ("vllm serve Qwen/Qwen3-Embedding-0.6B --runner pooling", "vllm", 2),
    ],
)
def test_the_words_speak_first(text, engine, length):
    identity = look(text, image="ghcr.io/ggml-org/llama.cpp:server" if engine != "llamacpp" else "vllm/vllm-openai")
    assert (identity.engine, identity.how, identity.server) == (engine, "argv", True)
    assert identity.evidence.place == Place("run.sh", 4, 1)
    assert program_length(words(text)) == length


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("vllm bench serve --model m", "vllm"),
        ("vllm chat", "vllm"),
        ("vllm --version", "vllm"),
        ("vllm", "vllm"),
        ("python3 -m sglang.bench_serving", "sglang"),
        ("llama-bench -m m", "llamacpp"),
    ],
)
def test_a_run_that_serves_nobody(text, engine):
    identity = look(text)
    assert (identity.engine, identity.server) == (engine, False)


@pytest.mark.parametrize("text", ["vllm bench latency --model m", "vllm bench throughput", "vllm run-batch -i a -o b"])
def test_a_run_with_an_engine_of_its_own_meets_what_a_server_meets(text):
    assert (look(text).engine, look(text).server) == ("vllm", True)


def test_the_whole_of_vllm_bench_is_the_program():
    assert program_length(words("vllm bench latency --model m")) == 3


def test_a_sub_command_from_a_variable_may_serve():
    argv = [Word("vllm", PLACE), Word("${MODE}", PLACE, (Reference("MODE", PLACE, Given.UNKNOWN),))]
    assert identify(argv, None, {}).server


@pytest.mark.parametrize(
    "text", ["", "--model m", "/entrypoint.sh --port 1", "bash -c 'start it'", "python3 /srv/run.py"]
)
def test_then_the_image(text):
    identity = look(text, image="corp/vllm-spark:2026.08")
    assert (identity.engine, identity.how) == ("vllm", "image")
    assert identity.evidence.place == PLACE


@pytest.mark.parametrize(
    "text",
    [
        "trtllm-serve m",
        "/usr/bin/sleep infinity",
        "python3 -m sglang_router.launch_router --worker-urls x",
        "python3 -c 'import huggingface_hub'",
        "python3 -um http.server",
        "hf download Qwen/Qwen3.6-27B",
        "ray start --head",
        "litellm --config /c.yaml",
    ],
)
def test_another_program_in_an_engine_image_is_no_server(text):
    assert look(text, image="vllm/vllm-openai:v0.31.0") is None


@pytest.mark.parametrize(
    "image", ["redis:7", "nginx", "ghcr.io/berriai/litellm:main", "lmsysorg/sglang-router:v1", None]
)
def test_nothing_speaks_for_an_engine(image):
    assert look("", image=image) is None
    assert look("--port 80 --model gpt", image=image) is None


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("--model m --max-model-len 4096", "vllm"),
        ("--model m --speculative_config.method=mtp", "vllm"),
        ("--model-path m --mem-fraction-static 0.8", "sglang"),
        ("-m m.gguf --spec-draft-n-max 3", "llamacpp"),
        ("/entrypoint.sh --max-model-len 4096 --max-num-seqs 4", "vllm"),
    ],
)
def test_then_the_vocabulary(text, engine):
    identity = look(text, image="corp/inference:1")
    assert (identity.engine, identity.how) == (engine, "vocabulary")


def test_one_option_behind_an_unknown_program_is_not_enough():
    assert look("/entrypoint.sh --max-model-len 4096") is None
    assert look("/entrypoint.sh --max-model-len 4096", env={"VLLM_LOGGING_LEVEL": None}).engine == "vllm"


def test_a_tie_is_unknown():
    assert look("--max-model-len 1 --mem-fraction-static 1") is None
