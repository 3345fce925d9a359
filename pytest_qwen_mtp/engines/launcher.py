"""The words before the options: which program of an engine starts, and whether it is named twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_qwen_mtp.profiles.model import Engine, Word

Kind = Literal["serve", "server", "bench", "wrapped", "bare"]


@dataclass(frozen=True, slots=True)
class Launch:
    """``kind``: ``serve`` (subcommand), ``server`` (module or binary), ``bench``, ``wrapped`` (a program that adds
    options of its own, such as Dynamo), ``bare`` (no program is named). ``options``: the words after it. ``again``: the
    program named a second time, as when a command repeats what the image's entry point already says. ``first``: the
    very first word.
    """

    kind: Kind
    options: Sequence[Word]
    again: Word | None = None
    first: Word | None = None


_PYTHON = re.compile(r"(?:pypy|python)[\d.]*")
_SUBCOMMANDS: dict[str, dict[str, Kind]] = {
    "vllm": {"serve": "serve", "bench": "bench", "run-batch": "wrapped", "launch": "wrapped"},
    "sglang": {"serve": "serve", "bench": "bench"},
}
_MODULES: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (
        re.compile(r"vllm\.entrypoints\.(?:openai|launchers)\.api_server(?:\.entry)?|vllm\.entrypoints\.api_server"),
        "server",
    ),
    (re.compile(r"vllm\.entrypoints\.cli\.main"), "serve"),
    (re.compile(r"sglang\.launch_server"), "server"),
    (re.compile(r"(?:dynamo|vllm|sglang|sglang_router)(?:\..+)?"), "wrapped"),
)
_BINARIES = {"llama-server": "server", "llama-server.exe": "server", "llama_server": "server"}
# A program stands near the beginning: wrappers such as numactl bring a few words of their own.
_NEAR = 24


def launch(engine: Engine, words: Sequence[Word]) -> Launch:
    """What ``words`` start. Words before the program (``env``, ``numactl`` …) are skipped with it."""
    first = _program(engine, words, _NEAR)
    if first is None:
        return Launch("bare", words, first=words[0] if words else None)
    kind, start = first
    again: Word | None = None
    while True:
        rest = words[start:]
        repeated = _program(engine, rest, 1)
        if repeated is None and kind == "serve" and rest and rest[0].text == "serve":
            repeated = (kind, 1)
        if repeated is None:
            return Launch(kind, rest, again, words[0])
        again = again or rest[0]
        start += repeated[1]


def _program(engine: Engine, words: Sequence[Word], near: int) -> tuple[Kind, int] | None:
    """The kind of program beginning at one of the first ``near`` words, and the number of words up to its end."""
    for index in range(min(near, len(words))):
        text = words[index].text
        base = text.rsplit("/", 1)[-1]
        if engine == "llamacpp":
            if base in _BINARIES or (base == "tools.sh" and _text(words, index + 1) in ("--server", "-s")):
                return "server", index + (2 if base == "tools.sh" else 1)
            continue
        if base == engine:
            kind = _SUBCOMMANDS[engine].get(_text(words, index + 1))
            if kind is not None:
                return kind, index + (3 if kind in ("bench", "wrapped") and engine == "vllm" else 2)
        if _PYTHON.fullmatch(base):
            module = _module(words, index + 1)
            if module is not None:
                return module
    return None


def _module(words: Sequence[Word], index: int) -> tuple[Kind, int] | None:
    """``-m MODULE`` or a script after ``python``; interpreter flags before it are skipped."""
    while index < len(words) and words[index].text.startswith("-") and words[index].text != "-m":
        index += 1
    text = _text(words, index)
    if text != "-m":
        return ("wrapped", index + 1) if text.endswith(".py") else None
    name = _text(words, index + 1)
    for pattern, kind in _MODULES:
        if pattern.fullmatch(name):
            if kind == "serve" and _text(words, index + 2) == "serve":
                return kind, index + 3
            return ("wrapped" if kind == "serve" else kind), index + 2
    return None


def _text(words: Sequence[Word], index: int) -> str:
    return words[index].text if index < len(words) else ""
