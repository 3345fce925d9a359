"""What two releases of an engine have different."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.missing import successor
from pytest_qwen_mtp.engines.options import Computed, Key, Option

What = Literal["option", "key", "method", "MTP model type", "environment variable"]
Kind = Literal["added", "removed", "renamed", "default", "choices", "type", "meaning", "deprecated"]
_MANY = 12


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. ``detail``: ``new`` for a rename, ``old`` and ``new`` for a value, both lists for choices."""

    what: What
    kind: Kind
    name: str
    text: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def changes(old: Release, new: Release) -> list[Change]:
    """All differences from ``old`` to ``new``: options, keys of JSON options, methods, model types, variables."""
    return [
        *_options(old, new),
        *_keys(old, new),
        *_names("method", old.methods, new.methods),
        *_names("MTP model type", old.mtp_models, new.mtp_models),
        *_names("environment variable", dict.fromkeys(old.environment, ""), dict.fromkeys(new.environment, "")),
    ]


def _options(old: Release, new: Release) -> Iterator[Change]:
    before = {string: option for option in old.options for string in option.strings}
    after = {string: option for option in new.options for string in option.strings}
    accepted = new.by_string
    for string in sorted(before.keys() - accepted.keys()):
        heir = successor(new, string)
        if heir is None:
            yield Change("option", "removed", string, f"{string} is gone")
        else:
            yield Change("option", "renamed", string, f"{string} is {heir} now", {"new": heir})
    for string in sorted(after.keys() - old.by_string.keys()):
        yield Change("option", "added", string, f"{string} {_about(after[string])}".rstrip())
    for string in sorted(before.keys() & after.keys()):
        if string in before[string].strings[:1]:
            yield from _option(string, before[string], after[string])


def _option(string: str, old: Option, new: Option) -> Iterator[Change]:
    if _shape(old) != _shape(new):
        detail = {"old": _shape(old), "new": _shape(new)}
        yield Change("option", "type", string, f"{string} takes {_shape(new)}, was {_shape(old)}", detail)
    yield from _values("option", string, old, new)
    if new.deprecated and not old.deprecated:
        hint = f", use {new.new}" if new.new else ""
        yield Change("option", "deprecated", string, f"{string} is deprecated{hint}", {"new": new.new})


def _values(what: What, name: str, old: Option | Key, new: Option | Key) -> Iterator[Change]:
    if old.default != new.default or type(old.default) is not type(new.default):
        before, after = _shown(old.default), _shown(new.default)
        text = f"{name} defaults to {after}, was {before}"
        yield Change(what, "default", name, text, {"old": _plain(old.default), "new": _plain(new.default)})
    if (old.choices is None) != (new.choices is None) or set(old.choices or ()) != set(new.choices or ()):
        gone = sorted(set(old.choices or ()) - set(new.choices or ()), key=str)
        come = sorted(set(new.choices or ()) - set(old.choices or ()), key=str)
        parts = [f"{sign}{_some(each)}" for sign, each in (("no longer ", gone), ("also ", come)) if each]
        if new.choices is None:
            parts = ["any value"]
        detail = {"old": old.choices and list(old.choices), "new": new.choices and list(new.choices)}
        yield Change(what, "choices", name, f"{name} takes {'; '.join(parts)}", detail)


def _keys(old: Release, new: Release) -> Iterator[Change]:
    before, after = _key_sets(old), _key_sets(new)
    for path in sorted(before.keys() | after.keys()):
        parent = path.rpartition(".")[0]
        if path not in after:
            if parent in after or "." not in parent:
                yield Change("key", "removed", path, f"{path} is gone")
        elif path not in before:
            if parent in before or "." not in parent:
                yield Change("key", "added", path, f"{path} {_some(after[path].choices or ())}".rstrip())
        else:
            if before[path].types != after[path].types:
                types = [" or ".join(each.types) for each in (before[path], after[path])]
                text = f"{path} takes {types[1]}, was {types[0]}"
                yield Change("key", "type", path, text, {"old": types[0], "new": types[1]})
            yield from _values("key", path, before[path], after[path])


def _key_sets(release: Release) -> dict[str, Key]:
    """``--speculative-config.method`` → its key; keys inside other objects too."""
    found: dict[str, Key] = {}

    def walk(prefix: str, name: str, depth: int) -> None:
        for key in release.keys(name).values():
            found[f"{prefix}.{key.name}"] = key
            if key.keys is not None and depth < 4:
                walk(f"{prefix}.{key.name}", key.keys, depth + 1)

    for option in release.options:
        if option.keys is not None:
            walk(option.strings[0], option.keys, 0)
    return found


def _names(what: What, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield Change(what, "removed", name, name)
        elif name not in old:
            meaning = f" (means {new[name]})" if new[name] not in ("", name) else ""
            yield Change(what, "added", name, name + meaning)
        elif old[name] != new[name]:
            text = f"{name} means {new[name]}, was {old[name]}"
            yield Change(what, "meaning", name, text, {"old": old[name], "new": new[name]})


def _shape(option: Option) -> str:
    if not option.takes_value:
        return "no value, or --no-… for off" if option.action == "boolean" else "no value"
    kind = option.type.removeprefix("optional_").replace("_", " ")
    return kind if option.nargs is None else f"{kind} × {option.nargs}"


def _about(option: Option) -> str:
    parts = [_shape(option) if option.takes_value else ""]
    if option.choices:
        parts.append(f"of {_some(option.choices)}")
    if option.default is not None:
        parts.append(f"default {_shown(option.default)}")
    return "  ".join(part for part in parts if part)


def _some(values: Any) -> str:
    shown = [str(each) for each in values]
    return ", ".join(shown[:_MANY]) + (f" and {len(shown) - _MANY} more" if len(shown) > _MANY else "")


def _shown(value: Any) -> str:
    if isinstance(value, Computed):
        return "what the start works out"
    return {None: "none", True: "on", False: "off"}.get(value, str(value)) if _is_plain(value) else str(value)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _plain(value: Any) -> Any:
    return {"computed": value.expression} if isinstance(value, Computed) else value
