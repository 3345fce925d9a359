"""Compose files as Compose 5.6 resolves them, with the place of every word (compose-go 2.16)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from yaml.nodes import MappingNode, ScalarNode

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.compose_files import Files
from pytest_qwen_mtp.profiles.compose_model import BuildSpec, ComposeProject, ComposeService
from pytest_qwen_mtp.profiles.compose_scope import Scope, normal_name
from pytest_qwen_mtp.profiles.compose_service import ServiceReader
from pytest_qwen_mtp.profiles.compose_session import Session, once
from pytest_qwen_mtp.profiles.interpolation import interpolate
from pytest_qwen_mtp.profiles.model import Problem
from pytest_qwen_mtp.profiles.yamltext import scalar_text

__all__ = [
    "DEFAULT_NAMES",
    "OVERRIDE_NAMES",
    "BuildSpec",
    "ComposeProject",
    "ComposeService",
    "project_files",
    "resolve",
]

DEFAULT_NAMES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
"""The names under which Compose finds a file by itself; the first that is there wins."""
OVERRIDE_NAMES = (
    "compose.override.yml",
    "compose.override.yaml",
    "docker-compose.override.yml",
    "docker-compose.override.yaml",
)
"""The override files that Compose adds to a file it found by itself; only the first that is there."""


def resolve(paths: Sequence[Path], environment: Mapping[str, str] | None = None) -> ComposeProject:
    """What Compose would make of these files.

    One path is read as ``docker compose up`` in its folder reads it: with its override file where it has a default
    name, and with the files that COMPOSE_FILE in ``.env`` names where it is the first of them. Several paths are
    merged in their order. ``environment`` is the process environment that may be used; without it there is none.
    Never raises: what is wrong is in ``problems``, what was not read in ``not_seen``.
    """
    if not paths:
        raise ValueError("at least one path is needed")
    session = Session()
    first = paths[0]
    folder = first.parent
    files: list[Path] = list(paths)
    outside = Scope.of_environment(environment or {}, lambda: _project_name(files[0], scope, session))
    env_files = _env_files(folder, outside, first, session)
    scope = outside.with_files(env_files, session)
    if len(files) == 1:
        files[:] = _with_companions(first, scope, session)
    try:
        services = _services(files, scope, folder, session)
    except RecursionError:
        services = ()
        session.refuse(Place(str(first)), "keys, aliases or `extends` nest deeper than they can be followed")
    active = scope.lookup("COMPOSE_PROFILES")
    names = [name.strip() for name in active.text.split(",")] if active is not None else []
    return ComposeProject(
        path=str(first),
        services=services,
        problems=once(session.problems),
        not_seen=tuple(dict.fromkeys(session.not_seen)),
        variables=tuple(dict.fromkeys(session.variables)),
        active_profiles=tuple(name for name in names if name),
        files=tuple(session.files),
    )


def _services(files: Sequence[Path], scope: Scope, folder: Path, session: Session) -> tuple[ComposeService, ...]:
    reader = Files(session)
    model = reader.load(files, scope, folder)
    services: list[ComposeService] = []
    if model.services is not None:
        service_reader = ServiceReader(scope, model.parts, model.stated, session)
        for name, entry in model.services.entries.items():
            service = service_reader.read(name, entry)
            if service is not None:
                services.append(service)
    elif not session.problems:
        session.problems.append(Problem("no-services", Place(str(files[0]), 1, 1), "the file has no `services`"))
    for origin in list(reader.origins.values()):
        origin.interpolate_rest()
    return tuple(services)


def project_files(path: Path) -> tuple[Path, ...]:
    """The files that Compose reads for ``path`` alone: itself, and its override file where it would find one."""
    if path.name not in DEFAULT_NAMES:
        return (path,)
    folder = path.parent
    present = {entry for entry in (*DEFAULT_NAMES, *OVERRIDE_NAMES) if (folder / entry).exists()}
    if next((name for name in DEFAULT_NAMES if name in present), path.name) != path.name:
        return (path,)
    override = next((name for name in OVERRIDE_NAMES if name in present), None)
    return (path,) if override is None else (path, folder / override)


def _env_files(folder: Path, outside: Scope, first: Path, session: Session) -> list[Path]:
    """``.env``, or the files that COMPOSE_ENV_FILES of the process environment names."""
    stated = outside.values.get("COMPOSE_ENV_FILES")
    if stated is None or not stated.text:
        default = folder / ".env"
        return [default] if default.is_file() else []
    found = []
    for name in stated.text.split(","):
        path = Path(os.path.normpath(folder / name))
        if path.is_file():
            found.append(path)
        else:
            message = f"the environment file {name} that COMPOSE_ENV_FILES names is not there"
            session.problems.append(Problem("missing-file", Place(str(first)), message))
    return found


def _with_companions(path: Path, scope: Scope, session: Session) -> list[Path]:
    stated = scope.lookup("COMPOSE_FILE")
    if stated is None or not stated.text:
        return list(project_files(path))
    separator = scope.lookup("COMPOSE_PATH_SEPARATOR")
    names = stated.text.split(separator.text if separator is not None and separator.text else os.pathsep)
    listed = [Path(os.path.normpath(path.parent / name)) for name in names if name]
    if not listed or os.path.abspath(listed[0]) != os.path.abspath(path):
        place = stated.place or Place(str(path))
        session.unseen(place, f"COMPOSE_FILE names other files first ({stated.text}); {path.name} was read by itself")
        return [path]
    return [path, *listed[1:]]


def _project_name(path: Path, scope: Scope, session: Session) -> str:
    """COMPOSE_PROJECT_NAME where nothing sets it: ``name`` of the file, or the folder's name."""
    tree = session.tree(path)
    for root in tree.roots if tree is not None else ():
        for key, value in root.value if isinstance(root, MappingNode) else ():
            if (
                isinstance(key, ScalarNode)
                and key.value == "name"
                and isinstance(value, ScalarNode)
                and tree is not None
            ):
                name = interpolate(scalar_text(tree, value), scope.values.get).text.text
                if normal_name(name):
                    return normal_name(name)
    return normal_name(os.path.basename(os.path.dirname(os.path.abspath(path))))
