"""What a YAML scalar means to Compose, which reads YAML with go-yaml (v4, resolve.go) and prints values as Go does.

The rules are neither YAML 1.1 nor quite YAML 1.2: ``no``, ``on`` and ``12:30`` are strings, ``010`` and ``0o10`` are 8,
``1_000`` is 1000, ``1e6`` prints as ``1e+06``, and a date prints as a moment.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone

from yaml.nodes import ScalarNode

from pytest_qwen_mtp.profiles.yamltree import PLAIN, QUOTED

Plain = str | int | float | bool | datetime | None
"""A scalar's value. ``datetime`` is aware, in UTC where the file names no zone."""

_FIXED: dict[str, Plain] = {"": None, "~": None, "null": None, "Null": None, "NULL": None, "<<": None}
_FIXED |= dict.fromkeys(("true", "True", "TRUE"), True) | dict.fromkeys(("false", "False", "FALSE"), False)
_FIXED |= dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan)
_FIXED |= dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf)
_FIXED |= dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf)

_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+)|(?P<dec>0|[1-9][0-9]*))"
)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_TIME = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)"
    r"(?:(?:[Tt](\d\d?):(\d\d?):(\d\d?)(\.\d{1,9})?(Z|[-+]\d\d:\d\d))|(?: (\d\d?):(\d\d?):(\d\d?)(\.\d{1,9})?))?"
)
_FIRST = frozenset("0123456789+-.")
_TAG = "tag:yaml.org,2002:"
_RESOLVED = frozenset(f"{_TAG}{name}" for name in ("int", "float", "bool", "timestamp"))
BINARY = f"{_TAG}binary"
"""The tag of text that is written in Base64."""


def is_string(node: ScalarNode) -> bool:
    """Whether Compose takes the scalar for a string."""
    if node.tag == QUOTED:
        return True
    text = node.value
    if node.tag == PLAIN and text and (text[0] not in _FIRST or text[:2] == "--"):
        return text not in _FIXED
    return isinstance(value_of(node), str)


def is_null(node: ScalarNode) -> bool:
    """Whether the scalar is YAML's null."""
    return node.tag != QUOTED and value_of(node) is None


def value_of(node: ScalarNode) -> Plain:
    """The value of the scalar. A tag of the file's own makes it a string; one that does not fit changes nothing."""
    if node.tag == PLAIN:
        return resolve_plain(node.value)
    if node.tag == f"{_TAG}null":
        return None
    if node.tag in _RESOLVED:
        return resolve_plain(node.value)
    text: str = node.value
    return _unpacked(text) if node.tag == BINARY else text


def _unpacked(text: str) -> str:
    from base64 import b64decode

    try:
        return b64decode("".join(text.split()), validate=True).decode("utf-8")
    except ValueError:
        return text


def resolve_plain(text: str) -> Plain:
    """What a plain scalar without a tag stands for."""
    if text in _FIXED:
        return _FIXED[text]
    if text[0] not in _FIRST:
        return text
    if text[0] != "." and (moment := _time(text)) is not None:
        return moment
    if text[0] == "." and ("__" in text or text[1:2] == "_"):
        return text
    digits = text.replace("_", "")
    found = _INTEGER.fullmatch(digits)
    if found is not None and digits != "-0":
        number = _integer(found)
        if -(2**63) <= number < (2**64 if not found["sign"] else 2**63):
            return number
        if not found["dec"]:
            return text if not _FLOAT.fullmatch(digits) else float(digits)
    if _FLOAT.fullmatch(digits):
        value = float(digits)
        return text if math.isinf(value) else value
    return text


def printed(value: Plain) -> str:
    """The text that Compose makes of a value where it needs one (Go's ``fmt.Sprint``)."""
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _go_float(value)
    if isinstance(value, datetime):
        return _go_time(value)
    return str(value)


def _integer(found: re.Match[str]) -> int:
    for group, base in (("hex", 16), ("bin", 2), ("oct", 8), ("dec", 10)):
        if found[group]:
            # A literal of thousands of digits is no number that anybody reads; int() would refuse it.
            number = int(found[group], base) if len(found[group]) < 400 else 2**64
            return -number if found["sign"] == "-" else number
    return 0


def _time(text: str) -> datetime | None:
    if text[4:5] != "-":
        return None
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    year, month, day = (int(found[index]) for index in (1, 2, 3))
    hour, minute, second = (int(found[index] or found[index + 5] or 0) for index in (4, 5, 6))
    fraction = float(found[7] or found[12] or 0)
    zone = found[8] or "Z"
    offset = timedelta()
    if zone != "Z":
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6])) * (-1 if zone[0] == "-" else 1)
    try:
        return datetime(year, month, day, hour, minute, second, round(fraction * 1e6), timezone(offset))
    except ValueError:
        return None


def _go_float(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf")
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    mantissa, _, exponent_text = f"{value!r}".partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, part = mantissa.lstrip("-").partition(".")
    digits = (whole + part).lstrip("0")
    exponent = int(exponent_text or 0) + (len(whole) - 1 if whole != "0" else len(digits) - len(part) - 1)
    digits = digits.rstrip("0") or "0"
    if exponent < -4 or exponent >= 6:
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if len(digits) <= exponent + 1:
        return f"{sign}{digits}{'0' * (exponent + 1 - len(digits))}"
    return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :]}"


def _go_time(value: datetime) -> str:
    offset = value.utcoffset() or timedelta()
    minutes = int(offset.total_seconds() // 60)
    zone = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}{abs(minutes) % 60:02d}"
    fraction = f".{value.microsecond:06d}".rstrip("0") if value.microsecond else ""
    return f"{value:%Y-%m-%d %H:%M:%S}{fraction} {zone} {'UTC' if minutes == 0 else zone}"
