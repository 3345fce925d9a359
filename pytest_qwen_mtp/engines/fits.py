"""Whether the release's config takes a value: types as pydantic reads them, choices, bounds, keys inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.model import UNKNOWN
from pytest_qwen_mtp.engines.options import Bounds, Key

_NAMES: Mapping[str, type | tuple[type, ...]] = {
    "integer": int,
    "number": (int, float),
    "string": str,
    "boolean": bool,
    "array": list,
    "object": Mapping,
    "null": type(None),
}
# pydantic, "Conversion Table": what a boolean may be written as.
_BOOLEANS = frozenset({"0", "1", "true", "false", "t", "f", "yes", "no", "y", "n", "on", "off"})
_WORDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}


def misfits(value: Mapping[str, Any], keys: str, release: Release) -> Iterator[tuple[str, str, str | None]]:
    """(path of the key, what is wrong, nearest key where it is unknown) for every wrong key of a JSON object.

    ``keys`` names the key set of the release; nothing is said where the release takes any key.
    """
    known = release.keys(keys)
    for written, inner in value.items() if known else ():
        name = str(written)
        key = known.get(name.replace("-", "_"))
        if key is None:
            near = next(iter(get_close_matches(name, list(known), n=1)), None)
            hint = f"; did you mean {near}?" if near else ""
            yield name, f"{release} knows no key {name!r}{hint}", near
        elif inner is not UNKNOWN:
            wrong = wrong_value(inner, key)
            if wrong is not None:
                yield name, f"{name}: {wrong}", None
            elif key.keys is not None and isinstance(inner, Mapping):
                for path, message, near in misfits(inner, key.keys, release):
                    yield f"{name}.{path}", f"{name}: {message}", near


def wrong_value(value: Any, key: Key) -> str | None:
    """What is wrong with the value of one key; None where it is right, or where nobody can know."""
    if key.choices is not None and not _has(key.choices, value) and not (value is None and "null" in key.types):
        shown = ", ".join(str(choice) for choice in key.choices)
        return f"found {value!r}, expected one of {shown}"
    if key.choices is None and not of_types(value, key.types):
        return f"found {value!r}, expected {' or '.join(key.types)}"
    return out_of_bounds(value, key.bounds)


def out_of_bounds(value: Any, bounds: Bounds) -> str | None:
    """``found 0, expected at least 1``; None where ``value`` is no number or lies within."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    for kind, bound in bounds:
        holds = {"gt": value > bound, "ge": value >= bound, "lt": value < bound, "le": value <= bound}[kind]
        if not holds:
            return f"found {value}, expected {_WORDS[kind]} {bound}"
    return None


def of_types(value: Any, types: tuple[str, ...]) -> bool:
    """Whether a JSON value is of one of ``types``; numbers and booleans in text are read as such, as pydantic does."""
    if "any" in types:
        return True
    if isinstance(value, bool):
        return not {"boolean", "integer", "number"}.isdisjoint(types)
    if isinstance(value, str):
        return "string" in types or _reads_as(value, types)
    if isinstance(value, int | float) and "boolean" in types and value in (0, 1):
        return True
    if isinstance(value, float) and "integer" in types and value.is_integer():
        return True
    return any(isinstance(value, _NAMES[name]) for name in types if name in _NAMES)


def _reads_as(text: str, types: tuple[str, ...]) -> bool:
    if "boolean" in types and text.lower() in _BOOLEANS:
        return True
    kinds = [kind for name, kind in (("integer", int), ("number", float)) if name in types]
    for kind in kinds:
        try:
            kind(text)
        except ValueError:
            continue
        return True
    return False


def _has(choices: tuple[Any, ...], value: Any) -> bool:
    """Whether ``value`` is a choice; 1 is not True here."""
    return any(type(each) is type(value) and each == value for each in choices)
