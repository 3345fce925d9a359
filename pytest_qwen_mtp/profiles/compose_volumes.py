"""What a service's volumes, configs and secrets put where in its container."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path

from pytest_qwen_mtp.profiles.compose_values import Mapping, Scalar, Value, is_null
from pytest_qwen_mtp.profiles.text import SourceText


@dataclass(frozen=True, slots=True)
class ShortVolume:
    """``SOURCE:TARGET:MODE`` taken apart; ``source`` is empty for an anonymous volume."""

    source: str
    target: str


def parse_volume(text: str) -> ShortVolume | None:
    """The short form of a volume (compose-go 2.16, format/volume.go); None where Compose refuses it."""
    if len(text) <= 2:
        return ShortVolume("", text) if text else None
    parts: list[str] = []
    begin = 0
    for index, letter in enumerate(text):
        drive = index == begin + 1 and text[begin].isalpha()
        if letter == ":" and not drive:
            parts.append(text[begin:index])
            begin = index + 1
    parts.append(text[begin:])
    if len(parts) > 3 or not all(parts):
        return None
    return ShortVolume("", parts[0]) if len(parts) == 1 else ShortVolume(parts[0], parts[1])


def is_host_path(source: str) -> bool:
    """Whether the source of a short volume is a path of the host and not the name of a volume."""
    drive = len(source) > 1 and source[0].isalpha() and source[1] == ":"
    return source[:1] in (".", "/", "~") or source.startswith("\\\\") or drive


def target_of(item: Value) -> str | None:
    """The container path that a volume is mounted at, as written."""
    if isinstance(item, Mapping):
        return string_of(item.get("target"))
    if isinstance(item, Scalar) and item.string:
        short = parse_volume(item.text().text)
        return None if short is None else short.target
    return None


def string_of(value: Value | None) -> str | None:
    """The text of a scalar; None for anything else."""
    return value.text().text if isinstance(value, Scalar) and not value.null else None


def mount_volume(item: Value, mounts: dict[str, Path]) -> None:
    """Adds what a bind mount shows in the container; a volume without a host path hides what lay there."""
    target = target_of(item)
    if not target:
        return
    target = posixpath.normpath(target)
    mounts.pop(target, None)
    host: Path | None = None
    if isinstance(item, Mapping):
        source = string_of(item.get("source"))
        if string_of(item.get("type")) == "bind" and source:
            host = item.origin.path(source)
    elif isinstance(item, Scalar):
        short = parse_volume(item.text().text)
        if short is None:
            item.origin.session.refuse(
                item.place, "Compose cannot read this volume; expected SOURCE:TARGET or SOURCE:TARGET:MODE"
            )
        elif is_host_path(short.source):
            host = item.origin.path(short.source)
    if host is not None:
        mounts[target] = host


def mount_key(item: Value, folder: str) -> str | None:
    """The container path of a config or secret, which stands in ``folder`` unless it says where."""
    if isinstance(item, Mapping):
        target = string_of(item.get("target"))
        return target if target is not None else f"{folder}/{string_of(item.get('source'))}"
    return f"{folder}/{string_of(item)}"


def mount_file(
    item: Value, folder: str, defined: Value | None, mounts: dict[str, Path], written: dict[str, SourceText]
) -> None:
    """Adds the file of a config or secret; ``defined`` is the top-level mapping of them."""
    name = string_of(item.get("source")) if isinstance(item, Mapping) else string_of(item)
    target = mount_key(item, folder)
    source = defined.get(name) if isinstance(defined, Mapping) and name is not None else None
    if target is None or (isinstance(item, Scalar) and item.null):
        return
    if not target.startswith("/"):
        target = f"{folder}/{target}"
    target = posixpath.normpath(target)
    if not isinstance(source, Mapping):
        if name is not None and (not isinstance(defined, Mapping) or name not in defined.entries):
            kind = "secret" if folder else "config"
            if isinstance(item, Mapping | Scalar):
                item.origin.session.refuse(
                    item.place, f"the {kind} `{name}` is not defined at the top level", f"Define it under `{kind}s`."
                )
        return
    file, content, variable = source.get("file"), source.get("content"), source.get("environment")
    if isinstance(file, Scalar) and not is_null(file):
        host = file.origin.path(file.text().text)
        if host is not None:
            mounts[target] = host
    elif isinstance(content, Scalar) and not content.null:
        written[target] = content.text()
    elif isinstance(variable, Scalar) and not variable.null:
        value = variable.origin.scope.lookup(variable.text().text)
        if value is not None:
            written[target] = SourceText.at(value.text, value.place or variable.place)
