"""One merged service as a ``ComposeService``: every value read once, every refusal of Compose noted."""

from __future__ import annotations

import os
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import Any

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.commandline import split_command
from pytest_qwen_mtp.profiles.compose_environment import keyed_words, service_environment
from pytest_qwen_mtp.profiles.compose_keys import SERVICE, check_keys, check_service_name
from pytest_qwen_mtp.profiles.compose_merge import unique, unique_volumes
from pytest_qwen_mtp.profiles.compose_model import BuildSpec, ComposeService
from pytest_qwen_mtp.profiles.compose_scope import Scope
from pytest_qwen_mtp.profiles.compose_session import Session
from pytest_qwen_mtp.profiles.compose_values import Entry, Mapping, Pair, Scalar, Sequence, Value, is_null, plain
from pytest_qwen_mtp.profiles.compose_volumes import mount_file, mount_key, mount_volume, string_of
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.stated import read_ignored, read_item
from pytest_qwen_mtp.profiles.text import Reference, SourceText


class ServiceReader:
    """Reads the services of one project: the parts they share, and where notes go."""

    def __init__(self, scope: Scope, parts: MappingOf[str, Value], stated: Value | None, session: Session) -> None:
        self.scope = scope
        self.parts = parts
        self.session = session
        self.stated = _stated(stated)

    def read(self, name: str, entry: Entry) -> ComposeService | None:
        """The service, or None where it is no mapping."""
        service = entry.value
        if not isinstance(service, Mapping):
            self.session.refuse(entry.place, f"the service `{name}` is no mapping", "Give it an image and a command.")
            return None
        check_service_name(name, entry, self.session)
        check_keys(service, SERVICE, "in a service", self.session)
        words = _Words(self.session)
        entrypoint, entrypoint_cut = words.read(service, "entrypoint")
        command, command_cut = words.read(service, "command")
        image = self._image(service)
        build = self._build(service)
        if image is None and build is None and is_null(service.get("provider")):
            self.session.refuse(entry.place, f"the service `{name}` has neither an image nor a build")
        mounts: dict[str, Path] = {}
        written: dict[str, SourceText] = {}
        self._mount(service, mounts, written)
        working_dir = service.get("working_dir")
        return ComposeService(
            name=name,
            place=entry.place,
            image=image,
            entrypoint=entrypoint,
            command=command,
            environment=service_environment(service, self.scope, self.session),
            build=build,
            mounts=mounts,
            written=written,
            profiles=self._profiles(service),
            gpus=_gpus(service),
            stated=_together(self.stated, _stated(service.get("x-qwen-mtp"))),
            working_dir=string_of(working_dir),
            entrypoint_cut=entrypoint_cut,
            command_cut=command_cut,
            vanished=tuple(words.vanished),
        )

    def _image(self, service: Mapping) -> Word | None:
        value = service.get("image")
        if value is None:
            return None
        if not isinstance(value, Scalar) or not value.string:
            self.session.refuse(value.place, "`image` must be a string", "Put it into quotes.")
            return value.word() if isinstance(value, Scalar) and not value.null else None
        word = value.word()
        return word if word.text or word.references else None

    def _build(self, service: Mapping) -> BuildSpec | None:
        value = service.get("build")
        if value is None or is_null(value):
            return None
        if isinstance(value, Scalar):
            return self._build_spec(value, value.text().text, value, None)
        if isinstance(value, Mapping):
            context = value.get("context")
            written = string_of(context)
            return self._build_spec(value, written, context, value)
        self.session.refuse(value.place, "`build` must be a folder or a mapping")
        return None

    def _build_spec(self, value: Value, written: str | None, context: Value | None, long: Mapping | None) -> BuildSpec:
        place = value.place
        owner = context if isinstance(context, Scalar) else value
        folder: Path | None = None
        if written is None:
            folder = Path(os.path.abspath(value.origin.project)) if isinstance(value, Mapping) else None
        elif "://" in written or written.startswith(("git@", "github.com/")):
            self.session.unseen(owner.place, f"the remote build context {written} was not fetched")
        elif isinstance(owner, Scalar | Mapping):
            folder = owner.origin.path(written)
        if long is None:
            return BuildSpec(place, folder, None if folder is None else folder / "Dockerfile")
        inline = long.get("dockerfile_inline")
        text = inline.text() if isinstance(inline, Scalar) and not inline.null else None
        name = string_of(long.get("dockerfile")) or "Dockerfile"
        dockerfile = None
        if folder is not None and text is None:
            dockerfile = Path(os.path.normpath(folder / name))
        args = long.get("args")
        words = {} if args is None else keyed_words(args, self.scope, self.session, "build.args", of_service=False)
        return BuildSpec(place, folder, dockerfile, text, words, string_of(long.get("target")))

    def _mount(self, service: Mapping, mounts: dict[str, Path], written: dict[str, SourceText]) -> None:
        volumes = service.get("volumes")
        if isinstance(volumes, Sequence):
            for item in unique_volumes([], volumes.items):
                mount_volume(item, mounts)
        for part, folder in (("configs", ""), ("secrets", "/run/secrets")):
            value = service.get(part)
            if isinstance(value, Sequence):
                for item in unique(value.items, lambda each, folder=folder: mount_key(each, folder)):  # type: ignore[misc]
                    mount_file(item, folder, self.parts.get(part), mounts, written)

    def _profiles(self, service: Mapping) -> tuple[str, ...]:
        value = service.get("profiles")
        if value is None or is_null(value):
            return ()
        if not isinstance(value, Sequence):
            self.session.refuse(value.place, "`profiles` must be a list")
            return ()
        names = (string_of(item) for item in value.items)
        return tuple(dict.fromkeys(name for name in names if name is not None))


class _Words:
    """The words of entrypoint and command, and what vanished on the way."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.vanished: list[Reference] = []

    def read(self, service: Mapping, key: str) -> tuple[tuple[Word, ...] | None, Place | None]:
        value = service.get(key)
        if value is None:
            return None, None
        if isinstance(value, Sequence):
            return tuple(
                self._item(item, key) for item in value.items if isinstance(item, Scalar | Mapping | Sequence)
            ), None
        if not isinstance(value, Scalar):
            self.session.refuse(value.place, f"`{key}` must be a string or a list of strings")
            return None, None
        if value.null:
            return None, None
        if not value.string:
            self.session.refuse(value.place, f"`{key}` must be a string or a list of strings", "Put it into quotes.")
        split = split_command(value.text())
        if split.problem is not None:
            self.session.problems.append(split.problem)
        self.vanished.extend(split.vanished)
        return split.words, split.cut

    def _item(self, item: Scalar | Mapping | Sequence, key: str) -> Word:
        if not isinstance(item, Scalar):
            self.session.refuse(item.place, f"a list or mapping stands in `{key}` where a string is expected")
            return Word("", item.place)
        if not item.string:
            message = f"`{item.text()}` in `{key}` is no string for Compose, which refuses the file"
            self.session.refuse(item.place, message, "Put it into quotes.")
        return item.word()


def _stated(value: Value | None) -> dict[str, Any]:
    """An ``x-qwen-mtp`` block as plain values; of ``ignore`` each item with its place."""
    if not isinstance(value, Mapping):
        return {}
    stated: dict[str, Any] = plain(value)
    ignore = value.get("ignore")
    if isinstance(ignore, Sequence):
        stated["ignore"] = tuple(
            read_item(item.origin.tree, item.node) for item in ignore.items if not isinstance(item, Pair)
        )
    elif ignore is not None and not isinstance(ignore, Pair):
        stated["ignore"] = read_ignored(ignore.origin.tree, ignore.node)
    return stated


def _together(top: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The block at the top of the file with a service's own over it; both lists of accepted findings hold."""
    accepted = (*top.get("ignore", ()), *own.get("ignore", ()))
    return {**top, **own, "ignore": accepted} if accepted else {**top, **own}


def _gpus(service: Mapping) -> int | str | None:
    """How many GPUs are asked for: ``gpus:``, or the reserved devices of ``deploy``."""
    value = service.get("gpus")
    if isinstance(value, Scalar) and not value.null:
        return "all" if value.text().text == "all" else None
    items = value.items if isinstance(value, Sequence) else None
    if items is None:
        node: Value | None = service
        for key in ("deploy", "resources", "reservations", "devices"):
            node = node.get(key) if isinstance(node, Mapping) else None
        items = [item for item in node.items if _is_gpu(item)] if isinstance(node, Sequence) else []
    total = 0
    for item in items:
        count = _count(item)
        if count is None or count == "all":
            return count
        total += int(count)
    return total or None


def _is_gpu(item: Value) -> bool:
    if not isinstance(item, Mapping):
        return False
    capabilities = item.get("capabilities")
    names = [string_of(each) for each in capabilities.items] if isinstance(capabilities, Sequence) else []
    return "gpu" in names or string_of(item.get("driver")) == "nvidia"


def _count(item: Value) -> int | str | None:
    if not isinstance(item, Mapping):
        return "all" if isinstance(item, Scalar) and item.text().text == "all" else None
    ids, count = item.get("device_ids"), string_of(item.get("count"))
    if isinstance(ids, Sequence):
        return len(ids.items)
    if count is None or count.lower() in ("all", "-1"):
        return "all"
    return int(count) if count.isascii() and count.isdigit() else None
