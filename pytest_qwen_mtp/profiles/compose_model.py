"""What a Compose file says after everything that Compose does to it: services with places, problems, what is unseen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.interpolation import Variable
from pytest_qwen_mtp.profiles.model import NotSeen, Problem, Word
from pytest_qwen_mtp.profiles.text import Reference, SourceText


@dataclass(frozen=True, slots=True)
class BuildSpec:
    """``build:`` of a service. ``context`` is None for a remote one; ``dockerfile`` is None with ``inline``."""

    place: Place
    context: Path | None
    dockerfile: Path | None
    inline: SourceText | None = None
    args: Mapping[str, Word | None] = field(default_factory=dict)
    target: str | None = None


@dataclass(frozen=True, slots=True)
class ComposeService:
    """One service as Compose would start it.

    ``entrypoint`` and ``command`` are None where the file does not give them and ``()`` where it gives nothing, which
    takes the image's own away. ``command_cut`` is where a free ``>``, ``|``, ``&``, ``;`` or ``<`` ended a command
    string. ``vanished`` are references that stood alone in a command string and gave no word. ``environment`` maps
    to None what is handed through without a value. ``mounts`` are host paths by container path, ``written`` are the
    texts of inline configs and secrets. ``gpus`` is a number, ``all``, or None where none are asked for or the number
    is not known.
    """

    name: str
    place: Place
    image: Word | None = None
    entrypoint: tuple[Word, ...] | None = None
    command: tuple[Word, ...] | None = None
    environment: Mapping[str, Word | None] = field(default_factory=dict)
    build: BuildSpec | None = None
    mounts: Mapping[str, Path] = field(default_factory=dict)
    written: Mapping[str, SourceText] = field(default_factory=dict)
    profiles: tuple[str, ...] = ()
    gpus: int | str | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    working_dir: str | None = None
    entrypoint_cut: Place | None = None
    command_cut: Place | None = None
    vanished: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class ComposeProject:
    """All that one or several Compose files give together.

    ``variables`` are the references of all files as written, each once: what could be set from outside.
    ``active_profiles`` are those that COMPOSE_PROFILES names. ``files`` are the Compose files that were read.
    """

    path: str
    services: tuple[ComposeService, ...] = ()
    problems: tuple[Problem, ...] = ()
    not_seen: tuple[NotSeen, ...] = ()
    variables: tuple[Variable, ...] = ()
    active_profiles: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
