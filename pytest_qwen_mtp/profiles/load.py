"""One deployment file in, its inference servers out: chooses the reader by the file's name and content."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.assemble import Stated
from pytest_qwen_mtp.profiles.model import Evidence, Loaded, NotSeen, Problem, ServeProfile
from pytest_qwen_mtp.profiles.text import Given

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.compose_model import ComposeProject

_COMPOSE_NAME = re.compile(r"(?:docker-)?compose(?:[.\-_].*)?\.ya?ml$", re.IGNORECASE)
_OVERRIDE_NAME = re.compile(r"(?:docker-)?compose\.override\.ya?ml$", re.IGNORECASE)
_YAML = frozenset({".yaml", ".yml"})
_NATIVE = (".mtp.yaml", ".mtp.yml")
_SERVICES = re.compile(rb"^[\"']?(?:services|include)[\"']?\s*:|\A\s*\{\s*[\"']?services[\"']?\s*:", re.MULTILINE)
_SHEBANG = re.compile(rb"#!.*\b(?:sh|bash|dash|ash|zsh|ksh)\b")
_SERVES = re.compile(rb"vllm|sglang|llama-server|llama\.cpp", re.IGNORECASE)
MAX_SWITCHES = 8
"""Variables of the form ``${NAME:+…}`` whose other side is tried."""
_SNIFF = 262_144
"""Bytes of a file that are looked at to tell its kind."""
_OTHER_SHAPES: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"^apiVersion\s*:", re.MULTILINE), "a Kubernetes manifest"),
    (re.compile(rb"^recipe_version\s*:", re.MULTILINE), "a recipe"),
    (re.compile(rb"^models\s*:.*^\s+cmd\s*:", re.MULTILINE | re.DOTALL), "a llama-swap configuration"),
    (
        re.compile(rb"^(?:speculative|max-model|gpu-memory|tensor[-_]parallel)[\w.-]*\s*:", re.MULTILINE),
        "an engine's own configuration",
    ),
)
_OTHER_ENDINGS = {".service": "a systemd unit", ".container": "a Quadlet unit", ".tf": "a Terraform file"}
_MAKEFILES = frozenset({"Makefile", "GNUmakefile", "justfile"})
_TOP_LIST = re.compile(rb"\A(?:\s*#[^\n]*\n|\s*\n|---[^\n]*\n)*- ")
_IMAGE = re.compile(rb"^(?:-\s+|  )image\s*:\s*\S*(?:vllm|sglang|llama\.cpp)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """``environment``: variables that interpolation may use (None: only what the files give).

    ``engine_versions``: the engine release by service name; the key None holds for every service.
    """

    environment: Mapping[str, str] | None = None
    engine_versions: Mapping[str | None, str] = field(default_factory=dict)


def kind_of(path: Path) -> str | None:
    """``compose``, ``shell``, ``native``, ``unread``, or None for a file that is no deployment file.

    By name first; the content decides for other YAML files (top-level ``services``; nothing at all; no text) and for
    scripts (they name an engine). Override files are read with their base and are no file of their own. ``unread`` is
    a file that names an engine but is of a kind that is not read yet.
    """
    name = path.name
    if name.endswith(_NATIVE):
        return "native"
    if _OVERRIDE_NAME.match(name):
        return None if _has_base(path) else "compose"
    if _COMPOSE_NAME.match(name):
        return "compose"
    head = _head(path)
    if head is None:
        return None
    if path.suffix in _YAML and (_SERVICES.search(head) or not _is_readable(head) or _is_list_of_engines(head)):
        return "compose"
    if path.suffix in (".sh", ".bash", "") and b"\0" not in head and (path.suffix or _SHEBANG.match(head)):
        return "shell" if _SERVES.search(head) and not _is_companion(path) else None
    return "unread" if other_shape(path, head) else None


def _is_readable(head: bytes) -> bool:
    """Text with something in it. A YAML file that is empty or binary is worth a word: it was meant to be one."""
    return bool(head.strip()) and b"\0" not in head


def _is_list_of_engines(head: bytes) -> bool:
    """A list at the top of a file that names an engine's image: services without their heading."""
    return bool(_TOP_LIST.search(head) and _IMAGE.search(head))


def other_shape(path: Path, head: bytes) -> str | None:
    """What a file that is not read seems to be, where it looks like it starts an engine; else None."""
    if b"\0" in head or not _SERVES.search(head):
        return None
    if path.suffix in _YAML:
        return next((name for pattern, name in _OTHER_SHAPES if pattern.search(head)), None)
    if path.name.startswith("Dockerfile") or path.suffix == ".dockerfile":
        return None if _has_base(path) else "a Dockerfile"
    return "a Makefile" if path.name in _MAKEFILES else _OTHER_ENDINGS.get(path.suffix)


def load(paths: Sequence[Path], options: LoadOptions = LoadOptions()) -> Loaded:
    """The servers of a deployment file (or of several Compose files that belong together). Never raises for content."""
    path = paths[0]
    kind = kind_of(path)
    if kind == "native":
        from pytest_qwen_mtp.profiles.native import load_native

        return load_native(path, options.engine_versions)
    if kind == "shell" or (kind is None and _looks_like_shell(path)):
        return _load_shell(path, options)
    head = _head(path) if kind in (None, "unread") else None
    shape = other_shape(path, head) if head is not None else None
    if shape is not None:
        return Loaded(str(path), not_seen=(NotSeen(f"{shape}; this kind of file is not read yet", Place(str(path))),))
    return _load_compose(paths, options)


def _load_shell(path: Path, options: LoadOptions) -> Loaded:
    from pytest_qwen_mtp.profiles.script import load_script
    from pytest_qwen_mtp.profiles.yamltree import Unreadable, read_text

    try:
        text = read_text(path)
    except Unreadable as error:
        return Loaded(str(path), problems=(error.problem,))
    return load_script(path, text, _stated(None, {}, options), options.environment)


def _load_compose(paths: Sequence[Path], options: LoadOptions) -> Loaded:
    from pytest_qwen_mtp.profiles.compose import resolve

    project = resolve(paths, options.environment)
    loaded = _servers_of(project, paths, options)
    switches = [
        each.name for each in project.variables if each.operator.endswith("+") and each.given is Given.ALTERNATE
    ]
    profiles = _by_name(loaded.profiles)
    for name in list(dict.fromkeys(switches))[:MAX_SWITCHES]:
        # What `${NAME:+…}` would add: read again with the variable set, to nothing but its own reference.
        environment = {**(options.environment or {}), name: f"${{{name}}}"}
        for key, profile in _by_name(_servers_of(resolve(paths, environment), paths, options).profiles).items():
            if key in profiles:
                profiles[key] = _with_switch(profiles[key], profile, f"{name} is set when Compose reads the file")
    return replace(loaded, profiles=tuple(profiles.values()))


def _by_name(profiles: Sequence[ServeProfile]) -> dict[tuple[str | None, int], ServeProfile]:
    """The servers by service and position in it, in their order."""
    found: dict[tuple[str | None, int], ServeProfile] = {}
    for profile in profiles:
        found[profile.service, sum(service == profile.service for service, _ in found)] = profile
    return found


def _with_switch(known: ServeProfile, other: ServeProfile, condition: str) -> ServeProfile:
    """``known`` with those commands of ``other`` that it does not have, under ``condition``."""
    texts = {tuple(command.argv) for command in known.commands}
    more = [
        replace(command, when=f"{condition}, and {command.when}" if command.when else condition)
        for command in other.commands
        if tuple(command.argv) not in texts
    ]
    return replace(known, commands=(*known.commands, *more)) if more else known


def _servers_of(project: ComposeProject, paths: Sequence[Path], options: LoadOptions) -> Loaded:
    from pytest_qwen_mtp.profiles.container import service_servers

    profiles, others = [], []
    problems: list[Problem] = list(project.problems)
    not_seen: list[NotSeen] = list(project.not_seen)
    for service in project.services:
        stated = _stated(service.name, service.stated, options)
        found, unseen, wrong = service_servers(project.path, service, stated, project.active_profiles, paths[0].parent)
        profiles.extend(found)
        problems.extend(wrong)
        not_seen.extend(unseen)
        if not found:
            others.append(service.name)
    return Loaded(
        project.path, tuple(profiles), tuple(problems), tuple(dict.fromkeys(not_seen)), tuple(others), project.files
    )


def _stated(service: str | None, block: Mapping[str, Any], options: LoadOptions) -> Stated:
    """The release that the user states: the option for this service, the option for all, the file's own block."""
    versions = options.engine_versions
    if service in versions and service is not None:
        version = versions[service]
        return Stated(version, Evidence(f"--mtp-engine-version {service}={version}"), block)
    if None in versions:
        return Stated(versions[None], Evidence(f"--mtp-engine-version {versions[None]}"), block)
    given = block.get("engine-version")
    if given is not None:
        return Stated(str(given), Evidence(f"x-qwen-mtp states engine-version {given}"), block)
    return Stated(block=block)


def _head(path: Path) -> bytes | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(_SNIFF)
    except (OSError, ValueError):
        return None


def _looks_like_shell(path: Path) -> bool:
    if path.suffix in (".sh", ".bash"):
        return path.is_file()
    head = _head(path)
    return path.suffix not in _YAML and head is not None and bool(_SHEBANG.match(head))


def _has_base(path: Path) -> bool:
    names = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
    return any((path.parent / name).is_file() for name in names)


def _is_companion(path: Path) -> bool:
    """A script that a Dockerfile beside it copies into its image is read with that image."""
    for dockerfile in path.parent.glob("Dockerfile*"):
        head = _head(dockerfile)
        if head is not None and re.search(
            rb"^\s*(?:COPY|ADD)\b.*\b" + re.escape(path.name.encode()), head, re.MULTILINE
        ):
            return True
    return False
