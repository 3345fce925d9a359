"""What a release sets by itself: the defaults of its options and of the keys of its JSON options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from packaging.version import InvalidVersion, Version

from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Setting
from pytest_qwen_mtp.engines.options import Computed

Steps = tuple[tuple[str | None, Any], ...]
"""What holds from which release on, oldest first: ``((None, False), ("0.28.0", True))``; None is the very first."""


@lru_cache(maxsize=256)
def defaults(release: Release) -> Mapping[str, Setting]:
    """The defaults by setting name, the keys of JSON options (``compilation.mode``) among them.

    Where the release itself is not in the catalogue, a default is believed that is the same in the known releases
    around it (in all of them when the release is not known at all); what changed is UNKNOWN and says how.
    """
    around = release.around()
    if len(around) == 1:
        return {name: _setting(name, value, f"default of {release}") for name, value in _values(around[0]).items()}
    tables = [(each, _values(each)) for each in around]
    found: dict[str, Setting] = {}
    for name in dict.fromkeys(name for _, values in tables for name in values):
        spans = [(str(each.version), values[name]) for each, values in tables if name in values]
        first = spans[0][1]
        if all(value == first and type(value) is type(first) for _, value in spans):
            read = spans[0][0] if len(spans) == 1 else f"{spans[0][0]} to {spans[-1][0]}"
            found[name] = _setting(name, first, f"default of {release.title} {read}; {release.wanted} was not read")
        else:
            found[name] = Setting(name, UNKNOWN, Origin.DEFAULT, f"{name}: " + _told(spans))
    return found


@lru_cache(maxsize=256)
def key_defaults(release: Release, name: str) -> Mapping[str, Setting]:
    """The defaults that the keys of the JSON option ``name`` have once the option is given."""
    option = release.by_name.get(name)
    if option is None or option.keys is None:
        return {}
    prefix = name.removesuffix("_config")
    source = f"default of {release}" + ("" if release.exact else f"; {release.wanted} was not read")
    made = (_setting(f"{prefix}.{key.name}", key.default, source) for key in release.keys(option.keys).values())
    return {setting.name: setting for setting in made}


def _values(release: Release) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, option in release.by_name.items():
        if option.action in ("help", "refuse", "ignore"):
            continue
        values[name] = option.default
        if option.keys and name.endswith("_config"):
            prefix = name.removesuffix("_config")
            for key in release.keys(option.keys).values():
                # Without the option its keys are not there at all: nobody set them.
                values[f"{prefix}.{key.name}"] = None if option.default is None else key.default
    return values


def _setting(name: str, value: Any, source: str) -> Setting:
    if isinstance(value, Computed):
        return Setting(name, UNKNOWN, Origin.DEFAULT, f"{source}: worked out at the start from {value.expression}")
    return Setting(name, value, Origin.DEFAULT, source)


def _told(spans: Sequence[tuple[str, Any]]) -> str:
    parts: list[tuple[str, Any]] = []
    for version, value in spans:
        if not parts or parts[-1][1] != value:
            parts.append((version, value))
    return ", ".join(
        f"{value.expression if isinstance(value, Computed) else value} in {version}" for version, value in parts
    )


@lru_cache(maxsize=256)
def parsed(version: str | None) -> Version | None:
    """``version`` to compare with; None for no version, and for 0.0.0, which is a build from a checkout."""
    try:
        found = None if version is None else Version(version)
    except InvalidVersion:
        return None
    return None if found is not None and not any(found.release) else found


@lru_cache(maxsize=4096)
def at_least(version: str | None, bound: str) -> bool | None:
    """Whether ``version`` is ``bound`` or later; None where it is not known."""
    known = parsed(version)
    return None if known is None else known >= Version(bound)


@lru_cache(maxsize=4096)
def by_release(version: str | None, steps: Steps) -> tuple[Any, str]:
    """(value, reason) that ``steps`` give for ``version``; UNKNOWN where the version is not known and matters."""
    if parsed(version) is not None:
        value, since = steps[0][1], steps[0][0]
        for start, each in steps:
            if start is None or at_least(version, start):
                value, since = each, start
        return value, f"{_word(value)} from {since} on" if since else f"{_word(value)} before {steps[1][0]}" if len(
            steps
        ) > 1 else ""
    values = [value for _, value in steps]
    if all(value == values[0] for value in values):
        return values[0], "in every release"
    return UNKNOWN, "; ".join(
        f"{_word(value)} from {start} on" if start else f"{_word(value)} at first" for start, value in steps
    )


def _word(value: Any) -> str:
    return {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)
