"""``docker build`` lines, and the images that a script builds before it runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.dockerbuild import image_name, read_build
from pytest_qwen_mtp.profiles.load import load
from pytest_qwen_mtp.profiles.model import Word

PLACE = Place("up.sh", 1, 1)
DOCKERFILE = "ARG V=v0.30.0\nFROM vllm/vllm-openai:${V}\nENV HF_HOME=/hub\n"


def build(text: str):
    return read_build([Word(each, PLACE) for each in text.split()])


@pytest.mark.parametrize(
    ("line", "file", "context", "tags"),
    [
        ("docker build -t a .", "./Dockerfile", ".", ["a"]),
        (
            "docker buildx build --load -t a:1 --tag=b -f docker/serve.Dockerfile ..",
            "docker/serve.Dockerfile",
            "..",
            ["a:1", "b"],
        ),
        ("podman build -ta --no-cache --platform linux/amd64 /srv/", "/srv/Dockerfile", "/srv/", ["a"]),
        ("docker image build -q -t a -", None, None, ["a"]),
        ("docker build -t a -f - ctx", None, "ctx", ["a"]),
    ],
)
def test_what_a_line_builds(line: str, file: str | None, context: str | None, tags: list[str]) -> None:
    found = build(line)
    assert found is not None
    assert found.file and found.file.text == file if file else found.file is None
    assert found.context and found.context.text == context if context else found.context is None
    assert [each.text for each in found.tags] == tags


@pytest.mark.parametrize("line", ["docker run a", "docker buildx ls", "make build", "docker compose build"])
def test_other_lines_build_nothing(line: str) -> None:
    assert build(line) is None


def test_build_arguments_and_target() -> None:
    found = build("docker build --build-arg V=1 --build-arg=W --target serve -t a .")
    assert found is not None
    assert {name: word and word.text for name, word in found.args.items()} == {"V": "1", "W": None}
    assert found.target is not None
    assert found.target.text == "serve"


def test_names_are_compared_with_their_tag() -> None:
    assert image_name("a") == image_name("localhost/a:latest") == "a:latest"
    assert image_name("host:5000/a") == "host:5000/a:latest"


def started(folder: Path, script: str):
    (folder / "up.sh").write_text(script, encoding="utf-8")
    (profile,) = load([folder / "up.sh"]).profiles
    (command,) = profile.commands
    return profile, command


def test_a_built_image_starts_what_its_base_starts(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    profile, command = started(
        tmp_path, "docker build --build-arg V=v0.31.0 -t my/box .\ndocker run --rm my/box Qwen/Qwen3.6-27B-FP8\n"
    )
    assert command.argv == ["vllm", "serve", "Qwen/Qwen3.6-27B-FP8"]
    assert (profile.version, profile.image and profile.image.text) == ("0.31.0", "my/box")
    assert {name: word and word.text for name, word in command.env.items()} == {"HF_HOME": "/hub"}


def test_a_dockerfile_from_the_input_and_its_own_command(tmp_path: Path) -> None:
    profile, command = started(
        tmp_path,
        "docker build -t box - <<'END'\nFROM lmsysorg/sglang:v0.5.23\n"
        'CMD ["python3", "-m", "sglang.launch_server", "--model-path", "Qwen/Qwen3.5-9B"]\nEND\ndocker run box\n',
    )
    assert command.argv == ["python3", "-m", "sglang.launch_server", "--model-path", "Qwen/Qwen3.5-9B"]
    assert (profile.engine, profile.version) == ("sglang", "0.5.23")


def test_a_dockerfile_that_is_not_here_is_told(tmp_path: Path) -> None:
    (tmp_path / "up.sh").write_text("docker build -t vllm-box x\ndocker run vllm-box\n", encoding="utf-8")
    loaded = load([tmp_path / "up.sh"])
    assert [each.what for each in loaded.not_seen] == ["the Dockerfile x/Dockerfile is not among the files"]
