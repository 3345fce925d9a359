"""Programs that start another program: where the other one begins."""

from __future__ import annotations

import shlex

import pytest

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.wrappers import shell_call, unwrap

PLACE = Place("run.sh", 1, 1)


def words(text: str) -> list[Word]:
    return [Word(each, PLACE) for each in shlex.split(text)]


@pytest.mark.parametrize(
    "wrapper",
    [
        "nohup",
        "sudo -E -u serving",
        "sudo VLLM_USE_V1=1",
        "env -u HOME A=1 B=2",
        "env -- A=1",
        "nice -n 5",
        "nice -5",
        "ionice -c 2 -n 0",
        "taskset -c 0-15",
        "numactl --cpunodebind=0 --membind=0",
        "numactl -N 0 -m 0",
        "timeout -k 5 3600",
        "stdbuf -oL",
        "tini -s --",
        "dumb-init --",
        "gosu vllm",
        "setpriv --reuid 1000",
        "flock -n /tmp/lock",
        "uv run --with flashinfer",
        "uv run",
        "poetry run",
        "conda run -n qwen --no-capture-output",
        "micromamba run -n qwen",
        "srun -N 1 --gpus 2",
        "mpirun -np 1",
        "nsys profile -o trace",
        "direnv exec .",
        "systemd-run --unit=qwen",
        "docker exec -d -e A=1 box",
        "screen -dmS qwen",
        "/usr/bin/time -v",
    ],
)
def test_the_program_inside_is_found(wrapper: str) -> None:
    inner = unwrap(words(f"{wrapper} vllm serve m --port 1"))
    assert inner is not None
    assert [word.text for word in inner.words] == ["vllm", "serve", "m", "--port", "1"]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("su - serving -c 'vllm serve m'", "vllm serve m"),
        ("script -q -c 'vllm serve m' log", "vllm serve m"),
        ("tmux new-session -d -s qwen 'vllm serve m'", "vllm serve m"),
        ("tmux send-keys -t qwen 'vllm serve m' Enter", "vllm serve m"),
        ("ssh -p 22 box 'vllm serve m'", "vllm serve m"),
        ("flock /tmp/lock -c 'vllm serve m'", "vllm serve m"),
    ],
)
def test_a_shell_text_inside_is_found(command: str, text: str) -> None:
    inner = unwrap(words(command))
    assert inner is not None
    assert inner.text is not None
    assert inner.text.text == text


@pytest.mark.parametrize(
    "command", ["vllm serve m", "uv pip install vllm", "conda activate qwen", "docker ps", "nohup"]
)
def test_what_wraps_nothing(command: str) -> None:
    assert unwrap(words(command)) is None


def test_variables_that_a_wrapper_sets_takes_away_or_clears() -> None:
    inner = unwrap(words("env -i -u HOME A=1 vllm serve m"))
    assert inner is not None
    assert {name: word.text for name, word in inner.env.items()} == {"A": "1"}
    assert (inner.removed, inner.cleared) == (("HOME",), True)


@pytest.mark.parametrize(
    ("command", "target", "is_text", "rest"),
    [
        ("bash -c 'vllm serve m' name x", "vllm serve m", True, ["name", "x"]),
        ("/bin/sh -ec 'vllm serve m'", "vllm serve m", True, []),
        ("bash -lc 'vllm serve m'", "vllm serve m", True, []),
        ("bash -o pipefail -c 'vllm serve m'", "vllm serve m", True, []),
        ("bash -x start.sh --port 1", "start.sh", False, ["--port", "1"]),
        ("bash -s -- m", None, False, ["m"]),
        ("bash", None, False, []),
    ],
)
def test_how_a_shell_is_called(command: str, target: str | None, is_text: bool, rest: list[str]) -> None:
    called = shell_call(words(command))
    assert called is not None
    assert (called.target and called.target.text, called.is_text) == (target, is_text)
    assert [word.text for word in called.parameters] == rest
