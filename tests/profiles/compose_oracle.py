"""What the real Compose binary makes of files, and what our resolver does, in one comparable form."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from container_oracle import compose_binary

from pytest_qwen_mtp.profiles.compose_model import ComposeProject, ComposeService

Service = dict[str, Any]


@dataclass(frozen=True)
class Refused:
    """Compose does not take the files; ``said`` is what it prints."""

    said: str


@dataclass(frozen=True)
class Invocation:
    """How a case is started: ``-f`` files (None: found by Compose itself), environment, and whether it is refused."""

    files: tuple[str, ...] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] | None = None

    @classmethod
    def of_folder(cls, folder: Path) -> Invocation:
        path = folder / "invocation.json"
        stated = json.loads(path.read_text()) if path.is_file() else {}
        files = None if stated.get("found") or "files" not in stated else tuple(stated["files"])
        return cls(files, stated.get("environment", {}), stated.get("refused"))

    def paths(self, folder: Path) -> list[Path]:
        if self.files is not None:
            return [folder / name for name in self.files]
        names = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
        return [next(folder / name for name in names if (folder / name).is_file())]


def compose_services(
    folder: Path, files: Sequence[str] | None = None, environment: Mapping[str, str] | None = None
) -> dict[str, Service] | Refused:
    """The services as ``docker compose config`` prints them, every profile switched on."""
    arguments = [word for name in files or () for word in ("-f", name)]
    done = subprocess.run(
        [compose_binary(), *arguments, "--profile", "*", "config", "--format", "json"],
        cwd=folder,
        env=dict(environment or {}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode != 0:
        return Refused(done.stderr)
    return {name: _theirs(service) for name, service in json.loads(done.stdout)["services"].items()}


def our_services(project: ComposeProject) -> dict[str, Service]:
    """The services of our resolver in the same form."""
    return {service.name: _ours(service) for service in project.services}


def _single(value: Any) -> Any:
    """``config`` doubles every dollar of what it prints."""
    if isinstance(value, list):
        return [_single(each) for each in value]
    if isinstance(value, dict):
        return {key.replace("$$", "$"): _single(each) for key, each in value.items()}
    return value.replace("$$", "$") if isinstance(value, str) else value


def _theirs(service: Service) -> Service:
    build = service.get("build")
    if build is not None:
        dockerfile = build.get("dockerfile")
        build = {
            "context": build["context"],
            "dockerfile": dockerfile and os.path.normpath(os.path.join(build["context"], dockerfile)),
            "inline": _single(build.get("dockerfile_inline")),
            "args": _single(build.get("args") or {}),
            "target": build.get("target"),
        }
    return {
        "image": _single(service.get("image")),
        "entrypoint": _single(service.get("entrypoint")),
        "command": _single(service.get("command")),
        "environment": _single(service.get("environment") or {}),
        "mounts": {each["target"]: each["source"] for each in service.get("volumes") or () if each["type"] == "bind"},
        "profiles": sorted(service.get("profiles") or ()),
        "build": build,
        "working_dir": service.get("working_dir"),
    }


def _ours(service: ComposeService) -> Service:
    build = service.build
    spec = build and {
        "context": str(build.context),
        "dockerfile": build.dockerfile and str(build.dockerfile),
        "inline": build.inline and build.inline.text,
        "args": {key: word and word.text for key, word in build.args.items()},
        "target": build.target,
    }
    return {
        "image": service.image and service.image.text,
        "entrypoint": None if service.entrypoint is None else [word.text for word in service.entrypoint],
        "command": None if service.command is None else [word.text for word in service.command],
        "environment": {key: None if word is None else word.text for key, word in service.environment.items()},
        "mounts": {target: str(path) for target, path in service.mounts.items()},
        "profiles": sorted(service.profiles),
        "build": spec,
        "working_dir": service.working_dir,
    }
