"""How a later Compose file changes an earlier one, key by key (compose-go 2.16, override/merge.go and uncity.go)."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from pytest_qwen_mtp.profiles.compose_values import (
    Entry,
    Mapping,
    Pair,
    Scalar,
    Sequence,
    Value,
    is_null,
)
from pytest_qwen_mtp.profiles.compose_volumes import target_of

Rules = dict[str, Callable[[Value, Value, str], Value]]
"""How a key merges: from the earlier value, the later one and the key's path to the merged one."""


def merge(base: Value, over: Value, path: str) -> Value:
    """``over`` laid upon ``base``: mappings merge, lists append, anything else is replaced.

    Kinds that do not fit are noted as a problem, and ``over`` wins.
    """
    if is_null(over):
        return base
    if isinstance(base, Mapping):
        if isinstance(over, Mapping):
            return merge_mappings(base, over, path)
    elif isinstance(base, Sequence):
        if isinstance(over, Sequence):
            return Sequence(over.node, over.origin, [*base.items, *over.items])
    else:
        return over
    if not isinstance(over, Pair):
        over.origin.session.refuse(
            over.place,
            f"Compose cannot lay this over the earlier `{path}`: one is a {_kind(base)}, the other a {_kind(over)}",
            "Write both in the same form, or tag the later one with !override.",
        )
    return over


def merge_mappings(base: Mapping, over: Mapping, path: str, rules: Rules | None = None) -> Mapping:
    """The keys of both; ``rules`` are those for keys that do not merge by the general rule."""
    entries = dict(base.entries)
    for key in over.replaced:
        entries.pop(key, None)
    for key, entry in over.entries.items():
        before = entries.get(key)
        if before is None:
            entries[key] = entry
            continue
        rule = rules.get(key) if rules else None
        name = f"{path}.{key}"
        merged = rule(before.value, entry.value, name) if rule else merge(before.value, entry.value, name)
        entries[key] = before if merged is before.value else entry.with_value(merged)
    return Mapping(over.node, over.origin, entries)


def merge_services(base: Value | None, over: Value | None) -> Value | None:
    """Two ``services`` mappings, service by service."""
    if base is None or over is None or not isinstance(base, Mapping) or not isinstance(over, Mapping):
        return base if is_null(over) else over
    entries = dict(base.entries)
    for key in over.replaced:
        entries.pop(key, None)
    for name, entry in over.entries.items():
        before = entries.get(name)
        entries[name] = entry if before is None else before.with_value(merge_service(before.value, entry.value, name))
    return Mapping(over.node, over.origin, entries)


def merge_service(base: Value, over: Value, name: str) -> Value:
    """One service laid upon the other."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return merge_mappings(base, over, f"services.{name}", _SERVICE_RULES)
    return merge(base, over, f"services.{name}")


def _kind(value: Value) -> str:
    if isinstance(value, Mapping):
        return "mapping"
    return "list" if isinstance(value, Sequence) else "plain value"


def _replace(base: Value, over: Value, path: str) -> Value:
    return over


def _as_items(value: Value) -> list[Value]:
    """A list, a mapping or a single string as the list of ``KEY=value`` that Compose makes of it."""
    if isinstance(value, Sequence):
        return value.items
    if isinstance(value, Mapping):
        return [Pair(key, value.entries[key]) for key in sorted(value.entries)]
    return [] if is_null(value) or not isinstance(value, Scalar) or not value.string else [value]


def _append(base: Value, over: Value, path: str) -> Value:
    origin_of = base if isinstance(over, Pair) else over
    if isinstance(origin_of, Pair):
        return over
    items = _as_items(base)
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        items = [item for item in items if not isinstance(item, Pair) or item.key not in over.replaced]
    return Sequence(origin_of.node, origin_of.origin, [*items, *_as_items(over)])


def _build(base: Value, over: Value, path: str) -> Value:
    first, second = _long_build(base), _long_build(over)
    if first is None or second is None:
        return over if first is None and not is_null(over) else base
    return merge_mappings(first, second, path, _BUILD_RULES)


def _long_build(value: Value) -> Mapping | None:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Scalar) and value.string:
        return Mapping(value.node, value.origin, {"context": Entry(value.node, value.origin, value)})
    return None


def unique(items: list[Value], key_of: Callable[[Value], str | None]) -> list[Value]:
    """The items of a list with later ones in the place of earlier ones of the same key; None is never the same."""
    return [item for _, item in _by_key([(key_of(item), item) for item in items])]


def _by_key(items: list[tuple[str | None, Value]]) -> list[tuple[str | None, Value]]:
    kept: list[tuple[str | None, Value]] = []
    seen: dict[str, int] = {}
    for key, item in items:
        if key is not None and key in seen:
            kept[seen[key]] = (key, item)
            continue
        if key is not None:
            seen[key] = len(kept)
        kept.append((key, item))
    return kept


def unique_volumes(earlier: list[Value], later: list[Value]) -> list[Value]:
    """The volumes of an earlier and a later file, one for each container path.

    Compose compares the paths as they are written first, and cleans them afterwards; those of the earlier file are
    clean by then.
    """
    written = [(_clean(target_of(item)), item) for item in earlier] + [(target_of(item), item) for item in later]
    return [item for _, item in _by_key([(_clean(key), item) for key, item in _by_key(written)])]


def _clean(target: str | None) -> str | None:
    return posixpath.normpath(target) if target else None


def _volumes(base: Value, over: Value, path: str) -> Value:
    if isinstance(base, Sequence) and isinstance(over, Sequence):
        items = unique_volumes(unique_volumes([], base.items), over.items)
        return Sequence(over.node, over.origin, items)
    return merge(base, over, path)


def _gpus(base: Value, over: Value, path: str) -> Value:
    """``gpus: all`` of another file has become a list by now: a list adds to it, and a second ``all`` is refused."""
    if not isinstance(base, Scalar) or base.null or isinstance(over, Pair) or base.origin.tree is over.origin.tree:
        return merge(base, over, path)
    return merge(Sequence(base.node, base.origin, [base]), over, path)


_BUILD_RULES: Rules = dict.fromkeys(("additional_contexts", "args", "extra_hosts", "labels"), _append)
_SERVICE_RULES: Rules = {
    "command": _replace,
    "entrypoint": _replace,
    "build": _build,
    "gpus": _gpus,
    "volumes": _volumes,
    **dict.fromkeys(
        ("annotations", "dns", "dns_opt", "dns_search", "env_file", "environment", "extra_hosts", "label_file",
         "labels", "sysctls", "tmpfs"),
        _append,
    ),
    # These merge as mappings whichever way they are written; nothing here reads them.
    **dict.fromkeys(("depends_on", "logging", "models", "networks", "ulimits"), _replace),
}  # fmt: skip
