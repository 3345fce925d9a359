"""Reading Compose files into one: documents, overrides, ``include`` and ``extends`` (compose-go 2.16, loader)."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field
from pathlib import Path

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.compose_keys import TOP_LEVEL, check_keys
from pytest_qwen_mtp.profiles.compose_merge import merge_mappings, merge_service, merge_services
from pytest_qwen_mtp.profiles.compose_scope import Scope
from pytest_qwen_mtp.profiles.compose_session import Session
from pytest_qwen_mtp.profiles.compose_values import Entry, Mapping, Origin, Scalar, Sequence, Value, is_null
from pytest_qwen_mtp.profiles.model import Problem

_REMOTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://|git@|github\.com/")
_PARTS = ("configs", "secrets")


@dataclass(slots=True)
class Model:
    """The merged top level: what the resolver reads of it. ``bare`` are services-less files that were met."""

    services: Mapping | None = None
    parts: dict[str, Value] = field(default_factory=dict)
    stated: Value | None = None


class Files:
    """Reads files for one resolution and remembers every one of them, so that all their references are told."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.origins: dict[tuple[str, str, str, int], Origin] = {}
        self._extensions: dict[tuple[int, str], tuple[Mapping, Value]] = {}

    def load(self, paths: SequenceOf[Path], scope: Scope, folder: Path, chain: tuple[str, ...] = ()) -> Model:
        """The files merged in order. ``folder`` is the project's, ``chain`` the files that include this one."""
        model = Model()
        for path in paths:
            tree = self.session.tree(path)
            if tree is None:
                continue
            origin = self.origin(path, scope, folder, folder)
            for root in tree.roots:
                self._document(root, origin, model, (*chain, str(path)))
        return model

    def origin(self, path: Path, scope: Scope, folder: Path, project: Path) -> Origin:
        """The file at ``path``, which is readable, under these variables and with these folders."""
        key = (str(path), str(folder), str(project), id(scope))
        if key not in self.origins:
            tree = self.session.tree(path)
            if tree is None:
                raise ValueError(f"{path} is unreadable")
            self.origins[key] = Origin(tree, scope, folder, project, self.session)
        return self.origins[key]

    def _document(self, root: Node, origin: Origin, model: Model, chain: tuple[str, ...]) -> None:
        place = origin.tree.place(root)
        if not isinstance(root, MappingNode):
            found = (
                "a list" if isinstance(root, SequenceNode) else "a plain value" if root.value else "an empty document"
            )
            self.session.problems.append(
                Problem(
                    "wrong-top-level",
                    place,
                    f"{found} stands where a mapping is expected",
                    "A Compose file begins with a key such as `services:`.",
                )
            )
            return
        top = Mapping(root, origin)
        check_keys(top, TOP_LEVEL, "at the top level", self.session)
        services = self._services(top, root)
        included = self._includes(top, origin, chain)
        if included is not None:
            services = _import(included.services, services)
        if isinstance(services, Mapping):
            services = self._extended(services, origin)
        if "services" in top.replaced:
            model.services = None
        merged = merge_services(model.services, services)
        model.services = merged if isinstance(merged, Mapping) else model.services
        for part in _PARTS:
            own = top.get(part)
            if included is not None and isinstance(included.parts.get(part), Mapping):
                base = included.parts[part]
                own = (
                    merge_mappings(base, own, part) if isinstance(own, Mapping) and isinstance(base, Mapping) else base
                )
            before = None if part in top.replaced else model.parts.get(part)
            if isinstance(before, Mapping) and isinstance(own, Mapping):
                model.parts[part] = merge_mappings(before, own, part)
            elif own is not None and not is_null(own):
                model.parts[part] = own
        if "x-qwen-mtp" in top.entries:
            model.stated = top.get("x-qwen-mtp")

    def _services(self, top: Mapping, root: MappingNode) -> Mapping | None:
        value = top.get("services")
        if isinstance(value, Mapping):
            return value
        if value is not None:
            place = top.entries["services"].place
            found = "is empty" if is_null(value) else "is no mapping"
            self.session.problems.append(
                Problem("no-services", place, f"`services` {found}; expected a mapping of names to services")
            )
        return None

    def _includes(self, top: Mapping, origin: Origin, chain: tuple[str, ...]) -> Model | None:
        value = top.get("include")
        if value is None or is_null(value):
            return None
        if not isinstance(value, Sequence):
            self.session.refuse(top.entries["include"].place, "`include` must be a list")
            return None
        total = Model()
        for item in value.items:
            model = self._include(item, origin, chain)
            if model is None:
                continue
            total.services = _import(model.services, total.services)
            for part, found in model.parts.items():
                before = total.parts.get(part)
                both = isinstance(before, Mapping) and isinstance(found, Mapping)
                total.parts[part] = merge_mappings(found, before, part) if both else found  # type: ignore[arg-type]
        return total

    def _include(self, item: Value, origin: Origin, chain: tuple[str, ...]) -> Model | None:
        paths = _strings(item.get("path") if isinstance(item, Mapping) else item)
        if not paths:
            self.session.refuse(item.place, "an entry of `include` names no path")
            return None
        remote = next((path for path in paths if _REMOTE.match(path.text().text)), None)
        if remote is not None:
            self.session.unseen(remote.place, f"the remote include {remote.text().text} was not fetched")
            return None
        files = []
        for path in paths:
            found = Path(os.path.normpath(os.path.join(origin.folder, path.text().text)))
            if any(os.path.abspath(found) == os.path.abspath(before) for before in chain):
                self._cycle(chain, found, path.place)
                return None
            if not found.exists():
                self._missing(path.place, f"the included file {path.text().text} is not there")
                return None
            files.append(found)
        stated = _strings(item.get("project_directory")) if isinstance(item, Mapping) else []
        folder = (
            Path(os.path.normpath(os.path.join(origin.folder, stated[0].text().text))) if stated else files[0].parent
        )
        env_files = []
        for env in _strings(item.get("env_file")) if isinstance(item, Mapping) else []:
            written = env.text().text
            found = Path(os.path.normpath(os.path.join(origin.folder, written)))
            if written == "/dev/null":
                continue
            if not found.is_file():
                self._missing(env.place, f"the env_file {written} of this include is not there")
                continue
            env_files.append(found)
        given = isinstance(item, Mapping) and not is_null(item.get("env_file"))
        if not given and (folder / ".env").is_file():
            env_files = [folder / ".env"]
        scope = origin.scope.with_files(env_files, self.session)
        return self.load(files, scope, folder, chain)

    def _cycle(self, chain: tuple[str, ...], found: Path, place: Place) -> None:
        first = self._first_include(chain, place)
        names = ", ".join(Path(name).name for name in (*chain, str(found)))
        self.session.problems.append(
            Problem("include-cycle", first, f"the files include each other in a circle: {names}", "Remove one include.")
        )

    def _first_include(self, chain: tuple[str, ...], place: Place) -> Place:
        """Where the outermost file of the chain begins the circle: that is the file the reader has asked about."""
        tree = self.session.tree(Path(chain[0])) if len(chain) > 1 else None
        if tree is None:
            return place
        begun = os.path.basename(chain[1])
        for root in tree.roots:
            for key, value in root.value if isinstance(root, MappingNode) else ():
                if key.value == "include" and isinstance(value, SequenceNode):
                    for scalar in _paths_of(value):
                        if os.path.basename(scalar.value) == begun:
                            return tree.place(scalar)
        return place

    def _missing(self, place: Place, message: str) -> None:
        self.session.problems.append(
            Problem(
                "missing-file", place, f"{message}; Compose starts nothing then", "Correct the path or add the file."
            )
        )

    def _extended(self, services: Mapping, origin: Origin) -> Mapping:
        """The services with ``extends`` carried out."""
        if not any(isinstance(entry.value, Mapping) and "extends" in entry.value.entries
                   for entry in services.entries.values()):  # fmt: skip
            return services
        entries = {
            name: entry.with_value(self._extend(name, services, origin, ())) for name, entry in services.entries.items()
        }
        result = Mapping(services.node, services.origin, entries)
        result.replaced.update(services.replaced)
        return result

    def _extend(self, name: str, services: Mapping, origin: Origin, seen: tuple[tuple[str, str], ...]) -> Value:
        known = self._extensions.get((id(services), name))
        if known is not None:
            return known[1]
        result = self._extend_once(name, services, origin, seen)
        self._extensions[id(services), name] = (services, result)  # with its owner, so that the id stays its own
        return result

    def _extend_once(self, name: str, services: Mapping, origin: Origin, seen: tuple[tuple[str, str], ...]) -> Value:
        service = services.entries[name].value
        extends = service.get("extends") if isinstance(service, Mapping) else None
        if not isinstance(service, Mapping) or extends is None or is_null(extends):
            return service
        me = (origin.tree.path, name)
        if me in seen:
            round_trip = ", ".join(each for _, each in (*seen, me))
            self.session.refuse(service.entries["extends"].place, f"the services extend each other: {round_trip}")
            return service
        wanted: Value | None = extends
        file: Value | None = None
        if isinstance(extends, Mapping):
            wanted, file = extends.get("service"), extends.get("file")
        if not isinstance(wanted, Scalar) or not wanted.string:
            self.session.refuse(service.entries["extends"].place, "`extends` does not say which service")
            return service
        target = wanted.text().text
        there = services
        if isinstance(file, Scalar) and not file.null:
            other = self._extends_file(file)
            if other is None:
                return service
            there, origin = other
        if target not in there.entries:
            self.session.refuse(wanted.place, f"the service `{target}` that is to be extended is not there")
            return service
        base = self._extend(target, there, origin, (*seen, me))
        return base if is_null(service) else merge_service(base, service, name)

    def _extends_file(self, file: Scalar) -> tuple[Mapping, Origin] | None:
        written = file.text().text
        if _REMOTE.match(written):
            self.session.unseen(file.place, f"the remote file {written} was not fetched")
            return None
        path = Path(os.path.normpath(os.path.join(file.origin.folder, written)))
        if not path.exists():
            self._missing(file.place, f"the file {written} that is to be extended is not there")
            return None
        tree = self.session.tree(path)
        if tree is None:
            return None
        origin = self.origin(path, file.origin.scope, path.parent, file.origin.project)
        services: Value | None = None
        for root in tree.roots:
            if isinstance(root, MappingNode):
                services = merge_services(services, Mapping(root, origin).get("services"))
        if not isinstance(services, Mapping):
            self.session.refuse(file.place, f"the file {written} has no services to extend")
            return None
        return services, origin


def _import(included: Mapping | None, own: Mapping | None) -> Mapping | None:
    """The included services under the file's own ones, which stay first."""
    if included is None or own is None:
        return own if included is None else included
    entries: dict[str, Entry] = {}
    for name, entry in own.entries.items():
        before = included.entries.get(name)
        if before is None or name in own.replaced:
            entries[name] = entry
        else:
            entries[name] = entry.with_value(merge_service(before.value, entry.value, name))
    for name, entry in included.entries.items():
        if name not in own.replaced:
            entries.setdefault(name, entry)
    result = Mapping(own.node, own.origin, entries)
    result.replaced.update(own.replaced)
    return result


def _strings(value: Value | None) -> list[Scalar]:
    """A string, or a list of strings."""
    items = value.items if isinstance(value, Sequence) else [value]
    return [item for item in items if isinstance(item, Scalar) and not item.null]


def _paths_of(includes: SequenceNode) -> list[ScalarNode]:
    """The paths of an ``include`` list, in all of its forms."""
    found: list[Node] = []
    for node in includes.value:
        values = (
            [value for key, value in node.value if key.value == "path"] if isinstance(node, MappingNode) else [node]
        )
        for value in values:
            found.extend(value.value if isinstance(value, SequenceNode) else [value])
    return [node for node in found if isinstance(node, ScalarNode)]
