"""Which inference engine do these words start, if any? Told by the words, then the image, then the options."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pytest_qwen_mtp.profiles.image import Image
from pytest_qwen_mtp.profiles.model import Engine, Evidence, Word

How = Literal["argv", "image", "vocabulary"]


@dataclass(frozen=True, slots=True)
class Identity:
    """The engine, why we think so, and whether the words start one (a client such as ``vllm bench serve`` does not)."""

    engine: Engine
    evidence: Evidence
    how: How
    server: bool = True


_PYTHON = re.compile(r"(?:python|pypy)(?:\d+(?:\.\d+)*)?(?:\.exe)?$")
_PYTHON_WITH_VALUE: Final = frozenset(("-W", "-X", "--check-hash-based-pycs"))

# Modules and console scripts that serve: vLLM pyproject.toml [project.scripts] and vllm/entrypoints; SGLang
# python/sglang/launch_server.py and cli/; Dynamo components/src/dynamo. A name ends at its dot, so that
# `dynamo.vllm.main` is found under `dynamo.vllm`.
_MODULES: Final[dict[str, Engine]] = {
    "vllm.entrypoints.openai.api_server": "vllm",
    "vllm.entrypoints.api_server": "vllm",
    "vllm.entrypoints.grpc_server": "vllm",
    "sglang.launch_server": "sglang",
    "sglang.srt.entrypoints.http_server": "sglang",
    "dynamo.vllm": "vllm",
    "dynamo.sglang": "sglang",
}
_CLI_MODULES: Final[dict[str, Engine]] = {
    "vllm": "vllm",
    "vllm.entrypoints.cli": "vllm",
    "vllm.entrypoints.cli.main": "vllm",
    "vllm.scripts": "vllm",
    "sglang": "sglang",
    "sglang.cli": "sglang",
    "sglang.cli.main": "sglang",
}
_PROGRAMS: Final[dict[str, Engine]] = {"vllm": "vllm", "sglang": "sglang"}
# These build an engine of their own from the server's options (vllm 0.32.0, benchmarks/latency.py and throughput.py,
# entrypoints/cli/run_batch.py): what breaks a server with them breaks them, too.
_ENGINE_RUNS: Final = frozenset({("bench", "latency"), ("bench", "throughput"), ("run-batch",)})
_SCRIPTS: Final[dict[str, Engine]] = {
    "vllm/entrypoints/openai/api_server.py": "vllm",
    "sglang/launch_server.py": "sglang",
}
_NAMES: Final[dict[Engine, str]] = {"vllm": "vLLM", "sglang": "SGLang", "llamacpp": "llama.cpp"}
_PREFIXES: Final[dict[str, Engine]] = {"VLLM_": "vllm", "SGLANG_": "sglang", "SGL_": "sglang", "LLAMA_ARG_": "llamacpp"}

# Options that only one of the three engines has (their argument parsers: vllm/engine/arg_utils.py,
# sglang/srt/server_args.py, llama.cpp common/arg.cpp).
_VOCABULARY: Final[tuple[tuple[re.Pattern[str], Engine], ...]] = (
    (
        re.compile(
            r"max-model-len|max-num-seqs|max-num-batched-tokens|gpu-memory-utilization|(?:no-)?enable-prefix-caching"
            r"|enforce-eager|speculative-config|compilation-config|limit-mm-per-prompt|mamba-cache-mode"
            r"|enable-auto-tool-choice|override-generation-config|default-chat-template-kwargs|kv-transfer-config"
            r"|(?:no-)?async-scheduling|spec-method|spec-tokens"
        ),
        "vllm",
    ),
    (
        re.compile(
            r"mem-fraction-static|speculative-(?:num-steps|eagle-topk|num-draft-tokens|algorithm|algo)"
            r"|disable-radix-cache|max-running-requests|chunked-prefill-size|schedule-policy|cuda-graph-max-bs"
            r"|mamba-(?:scheduler|radix-cache)-strategy|enable-hierarchical-cache"
        ),
        "sglang",
    ),
    (
        re.compile(
            r"spec-draft-n-max|spec-type|ctx-size|(?:n-)?gpu-layers|cache-type-[kv]|draft-max|draft-min"
            r"|models-preset|models-dir|n-cpu-moe|no-mmap"
        ),
        "llamacpp",
    ),
)
_OTHER_PROGRAMS: Final = re.compile(
    r"trtllm-serve|tritonserver|litellm|nginx|redis-server|ollama|lmdeploy|text-generation-launcher|open-webui|guidellm"
    r"|genai-perf|aiperf|llama-swap|sgl-model-gateway|sglang-router|vllm-router|prometheus|grafana|caddy|traefik"
    r"|haproxy|curl|wget|sleep|tail|true|echo|cat|ls|ray|hf|huggingface-cli|nvidia-smi|pip3?|git|pytest|lm_eval"
)


def identify(words: Sequence[Word], image: Image | None, env: Mapping[str, Word | None]) -> Identity | None:
    """The engine that ``words`` start in ``image`` with ``env``; None where nothing speaks for one.

    ``words`` are what the process gets: entry point first. ``server`` is False for a run that serves nobody
    (``vllm bench``, ``vllm chat``).
    """
    found = _by_argv(words)
    if found is not None:
        return found
    if words and _foreign(words):
        return None
    if image is not None and image.engine is not None:
        return Identity(
            image.engine, Evidence(f"image {image.word.text} is {_NAMES[image.engine]}", image.word.place), "image"
        )
    return _by_vocabulary(words, env)


def program_length(words: Sequence[Word]) -> int:
    """How many leading words name the engine's program, its module and its sub-command (0: none do)."""
    found = _locate(words)
    return 0 if found is None else found[1]


def _by_argv(words: Sequence[Word]) -> Identity | None:
    located = _locate(words)
    if located is None:
        return None
    engine, length, server = located
    said = " ".join(word.text for word in words[:length])
    return Identity(engine, Evidence(f"the command starts {said}", words[0].place), "argv", server)


def _locate(words: Sequence[Word]) -> tuple[Engine, int, bool] | None:
    """Engine, length of the program part, and whether it serves."""
    if not words:
        return None
    program = posixpath.basename(words[0].text.replace("\\", "/"))
    if program in ("llama-server", "llama-server.exe"):
        return "llamacpp", 1, True
    if program == "llama" and len(words) > 1 and words[1].text in ("serve", "server"):
        return "llamacpp", 2, True
    if program in ("llama-bench", "llama-batched-bench", "llama-cli", "llama-speculative"):
        return "llamacpp", 1, False
    if program in _PROGRAMS:
        return _cli(_PROGRAMS[program], words, 1)
    if _PYTHON.match(program):
        return _python(words, 1)
    if program.endswith(".py"):
        return _script(words, 0)
    return None


def _python(words: Sequence[Word], index: int) -> tuple[Engine, int, bool] | None:
    """``python [options] -m MODULE`` or ``python SCRIPT``; ``-m`` may end a cluster (``-um``) or hold its module."""
    while index < len(words):
        text = words[index].text
        if text.startswith("--"):
            index += 2 if text in _PYTHON_WITH_VALUE else 1
        elif text.startswith("-") and len(text) > 1:
            switches, found, joined = text[1:].partition("m")
            if found and not set(switches) & set("cWX"):
                return _module(joined, words, index + 1) if joined else _next_module(words, index + 1)
            if "c" in switches:
                return None
            index += 2 if text in _PYTHON_WITH_VALUE else 1
        else:
            return _script(words, index)
    return None


def _next_module(words: Sequence[Word], index: int) -> tuple[Engine, int, bool] | None:
    return _module(words[index].text, words, index + 1) if index < len(words) else None


def _module(name: str, words: Sequence[Word], behind: int) -> tuple[Engine, int, bool] | None:
    if name in _CLI_MODULES:
        return _cli(_CLI_MODULES[name], words, behind)
    for end in ("", ".__main__", ".main"):
        engine = _MODULES.get(name.removesuffix(end)) if end else _MODULES.get(name)
        if engine is not None:
            return engine, behind, True
    if name.startswith(("sglang.bench", "vllm.benchmarks")):
        return ("sglang" if name.startswith("sglang") else "vllm"), behind, False
    return None


def _script(words: Sequence[Word], index: int) -> tuple[Engine, int, bool] | None:
    """A script file: the engine's own server module by its path, or an installed console script."""
    path = words[index].text.replace("\\", "/")
    for end, engine in _SCRIPTS.items():
        if path == end or path.endswith("/" + end):
            return engine, index + 1, True
    program = posixpath.basename(path)
    return _cli(_PROGRAMS[program], words, index + 1) if program in _PROGRAMS else None


def _cli(engine: Engine, words: Sequence[Word], index: int) -> tuple[Engine, int, bool] | None:
    """``vllm SUBCOMMAND …``; ``vllm bench`` has a second one. A sub-command that is not known starts no engine."""
    if index == len(words):
        return engine, index, False
    sub = words[index]
    if sub.unresolved and not sub.text.startswith("-"):
        return engine, index + 1, True
    if sub.text == "serve":
        return engine, index + 1, True
    if sub.text.startswith("-"):
        return engine, index, False
    length = index + 2 if sub.text == "bench" and index + 1 < len(words) else index + 1
    return engine, length, tuple(word.text for word in words[index:length]) in _ENGINE_RUNS


def _foreign(words: Sequence[Word]) -> bool:
    """Whether the words start a program that is known to be something else, whatever the image is called."""
    program = posixpath.basename(words[0].text)
    if not _PYTHON.match(program):
        return _OTHER_PROGRAMS.fullmatch(program) is not None
    for word in words[1:]:
        if not word.text.startswith("-"):
            return False
        if not word.text.startswith("--") and word.text[-1] in "mc":
            return not word.unresolved
    return False


def python_file(words: Sequence[Word]) -> Word | None:
    """The Python file of the user's own that the words run, if they run one: it may be a client as well as a server."""
    program = posixpath.basename(words[0].text)
    rest = words[1:] if _PYTHON.match(program) else words
    first = next((word for word in rest if not word.text.startswith("-")), None)
    return first if first is not None and first.text.endswith(".py") else None


def by_vocabulary(words: Sequence[Word], env: Mapping[str, Word | None]) -> Identity | None:
    """What the options alone tell."""
    return _by_vocabulary(words, env)


def _by_vocabulary(words: Sequence[Word], env: Mapping[str, Word | None]) -> Identity | None:
    """Options that only one engine has: one where the words are options alone, two behind an unknown program."""
    seen: dict[Engine, dict[str, Word]] = {}
    for word in words:
        if word.text.startswith("--"):
            name = re.split(r"[=.]", word.text[2:], maxsplit=1)[0].replace("_", "-")
            engine = next((each for pattern, each in _VOCABULARY if pattern.fullmatch(name)), None)
            if engine is not None:
                seen.setdefault(engine, {}).setdefault(name, word)
    votes = {engine: len(options) for engine, options in seen.items()}
    for variable in env:
        for prefix, engine in _PREFIXES.items():
            if variable.startswith(prefix) and engine in votes:
                votes[engine] += 1
                break
    best = max(votes, key=lambda each: votes[each], default=None)
    enough = 1 if words and words[0].text.startswith("-") else 2
    if best is None or votes[best] < enough or any(votes[other] == votes[best] for other in votes if other != best):
        return None
    first = next(iter(seen[best].values()))
    names = ", ".join(f"--{name}" for name in list(seen[best])[:3])
    return Identity(best, Evidence(f"only {_NAMES[best]} has {names}", first.place), "vocabulary")
