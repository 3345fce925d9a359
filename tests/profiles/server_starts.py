"""Which recorded starts are inference servers: engine programs, and containers opened by the image's own rule."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from shell_oracle import Run, Start, execute

_MODULES = ("vllm.entrypoints.openai.api_server", "vllm.entrypoints.cli.main", "sglang.launch_server")

# Options of `docker run` that take no value (docker 28 and podman 5, `run --help`); every other one takes one.
_BARE = {
    *("-d", "--detach", "-i", "--interactive", "-t", "--tty", "-it", "-ti", "-dit", "-itd", "-di", "-id", "-td", "-dt"),
    *("--rm", "--init", "--privileged", "--no-healthcheck", "--oom-kill-disable", "-P", "--publish-all", "--read-only"),
    *("-q", "--quiet", "--sig-proxy", "--disable-content-trust", "--use-api-socket", "--replace", "--tls-verify"),
}


def servers(run: Run) -> list[Start]:
    """The inference servers among the starts of ``run``, with the words the engine process gets."""
    found = [server for start in run.starts for server in _opened(start, run.written)]
    if run.status == -9:  # a restart loop that was stopped: the rounds are one server
        found = list({(start.argv, tuple(sorted(start.env.items()))): start for start in found}.values())
    return found


def _opened(start: Start, written: Mapping[str, str]) -> list[Start]:
    program = start.argv[0].rsplit("/", 1)[-1]
    if program in ("docker", "podman", "nerdctl"):
        return _container(list(start.argv[1:]), written)
    return [start] if is_server(start.argv) else []


def is_server(argv: Sequence[str]) -> bool:
    program, rest = argv[0].rsplit("/", 1)[-1], list(argv[1:])
    if program in ("vllm", "sglang"):
        return rest[:1] == ["serve"]
    if program in ("python", "python3"):
        while rest and rest[0] in ("-u", "-O", "-s", "-E", "-I", "-B"):
            rest = rest[1:]
        return len(rest) > 1 and rest[0] == "-m" and rest[1] in _MODULES
    return program == "llama-server"


def _container(words: list[str], written: Mapping[str, str]) -> list[Start]:
    if words[:1] == ["container"]:
        words = words[1:]
    if words[:1] not in (["run"], ["create"], ["exec"]):
        return []
    env: dict[str, str] = {}
    entrypoint: str | None = None
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--":
            break
        if option in _BARE or (option.startswith("--") and option.split("=", 1)[0] in _BARE):
            continue
        name, glued, value = option.partition("=") if option.startswith("--") else (option[:2], option[2:], option[2:])
        if not glued:
            value = rest.pop(0)
        if name in ("-e", "--env"):
            key, given, text = value.partition("=")
            if given:
                env[key] = text
        elif name == "--env-file":
            lines = [line for line in written[value].splitlines() if line and not line.startswith("#")]
            env |= dict(line.split("=", 1) for line in lines)
        elif name == "--entrypoint":
            entrypoint = value
    if not rest:
        return []
    image, words = rest[0], rest[1:]
    if entrypoint is not None:
        words = [entrypoint, *words] if entrypoint else words
    else:
        words = [*image_entrypoint(image), *words]
    return started_by(words, env) if words else []


def image_entrypoint(image: str) -> list[str]:
    """The words that a published image puts in front, as its Dockerfile says; other images put none."""
    name = image.removeprefix("docker.io/")
    if name.startswith("vllm/vllm-openai"):
        return ["vllm", "serve"]
    return ["/app/llama-server"] if name.startswith("ghcr.io/ggml-org/llama.cpp:server") else []


def started_by(words: Sequence[str], env: dict[str, str]) -> list[Start]:
    """The servers that ``words`` start as a container's first process, shells included."""
    if words[0].rsplit("/", 1)[-1] not in ("bash", "sh"):
        return [Start(tuple(words), env)] if is_server(words) else []
    with tempfile.TemporaryDirectory(prefix="oracle-") as where:
        work = Path(where).resolve() / "work"
        work.mkdir()
        run = execute(work.parent, [words[0].rsplit("/", 1)[-1], *words[1:]], work, env, {})
    assert run.status in (0, -9), f"{shlex.join(words)}: {run.stderr}"
    return servers(run)
