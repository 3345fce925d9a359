"""From words to engines: what an image's program stands for, and what only looks like a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_qwen_mtp.engines.settings import read_settings, speculation
from pytest_qwen_mtp.profiles.load import load
from pytest_qwen_mtp.profiles.model import Loaded


def compose(folder: Path, image: str, command: str) -> Loaded:
    path = folder / "compose.yaml"
    service = f"image: {image}\n    entrypoint: []\n    command: {command}\n    volumes: [./app.py:/app.py]\n"
    path.write_text(f"services:\n  one:\n    {service}", encoding="utf-8")
    return load([path])


@pytest.mark.parametrize(
    ("words", "engine_words"),
    [
        ("--server -m /m.gguf", ["./llama-server", "-m", "/m.gguf"]),
        ("--run -m /m.gguf", None),
        ("--quantize a b", None),
    ],
)
def test_tools_of_the_full_llamacpp_image(tmp_path: Path, words: str, engine_words: list[str] | None) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(f"services:\n  one:\n    image: ghcr.io/ggml-org/llama.cpp:full-b11434\n    command: {words}\n")
    commands = [command.argv for profile in load([path]).profiles for command in profile.commands]
    assert commands == ([engine_words] if engine_words else [])


@pytest.mark.parametrize(
    ("text", "options", "serves"),
    [
        ("import requests\n", "--url http://one", False),
        ("from vllm import AsyncEngineArgs\n", "--url http://one", True),
        ("import requests\n", "--max-model-len 4096 --enforce-eager", True),
        (None, "--url http://one", False),
    ],
)
def test_a_python_file_in_an_engines_image(tmp_path: Path, text: str | None, options: str, serves: bool) -> None:
    if text is not None:
        (tmp_path / "app.py").write_text(text, encoding="utf-8")
    loaded = compose(tmp_path, "vllm/vllm-openai:v0.31.0", f"python3 /app.py {options}")
    assert bool(loaded.profiles) == serves


def test_a_python_file_of_a_private_image_may_serve(tmp_path: Path) -> None:
    assert compose(tmp_path, "corp/vllm-spark:2", "python3 /srv/run.py").profiles


SERVE = "vllm serve $MODEL --port ${PORT:-8000}\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (". ./site.env\n", ["${MODEL}", "--port", "8000"]),
        ("source ./site.env || true\n", ["--port", "8000"]),
        ("[ -f site.env ] && . ./site.env\n", ["--port", "8000"]),
        ("source .venv/bin/activate\n", ["--port", "8000"]),
    ],
)
def test_values_that_a_missing_file_would_give(tmp_path: Path, line: str, words: list[str]) -> None:
    (tmp_path / "up.sh").write_text(line + SERVE, encoding="utf-8")
    loaded = load([tmp_path / "up.sh"])
    (profile,) = loaded.profiles
    assert [each.argv for each in profile.commands] == [["vllm", "serve", *words]]
    assert loaded.not_seen


def test_variables_that_only_a_program_knows_are_told(tmp_path: Path) -> None:
    (tmp_path / "up.sh").write_text("export $(vault read vllm)\nvllm serve m\n", encoding="utf-8")
    assert [each.what for each in load([tmp_path / "up.sh"]).not_seen] == ["variables that $(vault read vllm) sets"]


def test_a_prefix_in_a_comparison_says_nothing(tmp_path: Path) -> None:
    script = 'if [ "x$NO_MTP" = "x" ]; then F="--spec-method mtp"; fi\nvllm serve m $F\n'
    (tmp_path / "up.sh").write_text(script, encoding="utf-8")
    (profile,) = load([tmp_path / "up.sh"]).profiles
    assert [(len(each.argv), each.when) for each in profile.commands] == [(5, None), (3, "NO_MTP is not empty")]


@pytest.mark.parametrize("form", ['["sh", "-c", "{}"]', "sh -c '{}'"])
def test_what_compose_would_fill_in_is_no_variable_of_the_shell(tmp_path: Path, form: str) -> None:
    entry = form.replace("{}", "exec vllm serve m ${TP:+--tensor-parallel-size $TP} --port 1")
    path = tmp_path / "compose.yaml"
    path.write_text(f"services:\n  one:\n    image: vllm/vllm-openai:v0.32.0\n    entrypoint: {entry}\n")
    (profile,) = load([path]).profiles
    base = ["vllm", "serve", "m"]
    assert [(each.argv, each.when) for each in profile.commands] == [
        ([*base, "--port", "1"], None),
        ([*base, "--tensor-parallel-size", "${TP}", "--port", "1"], "TP is set when Compose reads the file"),
    ]


def test_a_written_file_without_a_known_name_is_read_by_its_reference(tmp_path: Path) -> None:
    script = 'C=$(mktemp)\ncat > "$C" <<END\nspec-method: mtp\nspec-tokens: 2\nEND\nvllm serve m --config "$C"\n'
    (tmp_path / "up.sh").write_text(script, encoding="utf-8")
    (profile,) = load([tmp_path / "up.sh"]).profiles
    assert profile.commands[0].argv == ["vllm", "serve", "m", "--config", "${C}"]
    written = profile.files.read("${C}")
    assert written is not None
    assert written.text == "spec-method: mtp\nspec-tokens: 2\n"
    assert speculation(read_settings("vllm", "0.32.0", profile.commands[0].words, {}, profile.files)) == {
        "method": "mtp",
        "k": 2,
    }


@pytest.mark.parametrize("line", ["docker compose -f a.yml up -d", "docker-compose run --rm box vllm serve m"])
def test_what_compose_starts_from_a_script_is_told_as_not_seen(tmp_path: Path, line: str) -> None:
    (tmp_path / "up.sh").write_text(f"{line}\n# vllm\n", encoding="utf-8")
    loaded = load([tmp_path / "up.sh"])
    assert not loaded.profiles
    assert [each.what for each in loaded.not_seen] == ["services that Compose starts from here; its file tells them"]
