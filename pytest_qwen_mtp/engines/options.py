"""One option of an engine release: how it is written, how many values it takes, and what it makes of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

Action = Literal["store", "true", "false", "boolean", "append", "extend", "const", "refuse", "ignore", "help"]
Arity = int | Literal["?", "*", "+"] | None


@dataclass(frozen=True, slots=True)
class Computed:
    """A default that the release works out when it starts; ``expression`` says from what."""

    expression: str


Bounds = tuple[tuple[Literal["gt", "ge", "lt", "le"], float], ...]
"""What a number must be: ``(("ge", 1),)`` is at least 1. Checked when the release builds its config."""


class BadValue(ValueError):
    """The release's own parser refuses this value. The message says what was found and what is expected."""


@dataclass(frozen=True, slots=True)
class Option:
    """One command-line option of one release.

    ``name`` is the attribute it sets; ``strings`` all spellings, the negative ones of a ``boolean`` in ``negatives``,
    among them ``opposites`` (``--disable-x`` of ``--enable-x``, vLLM 0.33.0). ``new``: the option that a deprecated one
    gives way to, as the release names it. ``nargs`` as in argparse. ``type`` names a converter below. ``keys`` names
    the key set of a JSON option.
    """

    name: str
    strings: tuple[str, ...]
    action: Action = "store"
    nargs: Arity = None
    type: str = "str"
    choices: tuple[Any, ...] | None = None
    default: Any = None
    const: Any = None
    keys: str | None = None
    deprecated: bool = False
    required: bool = False
    opposites: tuple[str, ...] = ()
    new: str | None = None
    bounds: Bounds = ()

    @property
    def takes_value(self) -> bool:
        return self.action in ("store", "append", "extend")

    @property
    def most_values(self) -> int:
        """The largest number of words that the option takes."""
        if not self.takes_value:
            return 0
        if self.nargs is None or self.nargs == "?":
            return 1
        return self.nargs if isinstance(self.nargs, int) else 1_000_000

    @property
    def negatives(self) -> tuple[str, ...]:
        if self.action != "boolean":
            return ()
        return tuple("--no-" + each[2:] for each in self.strings if each.startswith("--")) + self.opposites


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a JSON option: its types (JSON type names, or ``any``), choices where it has a fixed set, default.

    ``keys`` names the key set of an object inside it.
    """

    name: str
    types: tuple[str, ...] = ("any",)
    choices: tuple[Any, ...] | None = None
    default: Any = None
    keys: str | None = None
    required: bool = False
    bounds: Bounds = ()


# vLLM 0.26.0 and 0.32.0, utils/argparse_utils.py: human_readable_int. Lower case counts in 1000, upper case in 1024.
_HUMAN = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT])")
# SGLang 0.5.13 and 0.5.23, utils/common.py: k is 1000 and Ki is 1024, case-sensitive.
_SI = re.compile(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)")
_SI_STEP = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_STEP = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# The same suffixes are read outside the strings of a JSON object (engine/arg_utils.py).
_HUMAN_IN_JSON = re.compile(r"\b\d+(?:\.\d+)?[kKmMgGtT]\b")
_JSON_STRING = re.compile(r'("(?:[^"\\]|\\.)*")')


def human_int(text: str) -> int:
    """``128k`` → 128000, ``1M`` → 1048576, plain numbers as they are. Raises BadValue."""
    stripped = text.strip()
    match = _HUMAN.fullmatch(stripped)
    try:
        if match is None:
            return int(stripped)
        number, suffix = match.groups()
        return int(float(number) * _STEP[suffix]) if suffix.islower() else int(number) * _STEP[suffix]
    except (ValueError, OverflowError):
        raise BadValue(f"found {text!r}, expected a whole number, with k, M, G as suffix if any") from None


def _si_int(text: str) -> int:
    stripped = text.strip()
    match = _SI.fullmatch(stripped)
    try:
        if match is None:
            return int(stripped)
        number, suffix = match.groups()
        return int(number) * _SI_STEP[suffix] if suffix[1:] else int(float(number) * _SI_STEP[suffix])
    except (ValueError, OverflowError):
        raise BadValue(f"found {text!r}, expected a whole number, with k, M, Ki, Mi as suffix if any") from None


def _human_int_or_auto(text: str) -> int:
    return -1 if text.strip().lower() in ("-1", "auto") else human_int(text)


def _int(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadValue(f"found {text!r}, expected a whole number") from None


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadValue(f"found {text!r}, expected a number") from None


def read_json(text: str) -> Any:
    """The JSON value of ``text``. Raises BadValue that says why it is none, and whether quotes were lost on the way."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "nested too deep")
        lost = text.lstrip().startswith("{") and '"' not in text and ":" in text
        hint = "; the double quotes are gone, keep the value in single quotes" if lost and "'" not in text else ""
        if "'" in text and '"' not in text:
            hint = "; JSON wants double quotes"
        raise BadValue(f"found {text!r}, which is not JSON ({reason}{hint})") from None


def _object(text: str) -> Any:
    if _HUMAN_IN_JSON.search(text):
        parts = _JSON_STRING.split(text)
        for index in range(0, len(parts), 2):
            parts[index] = _HUMAN_IN_JSON.sub(lambda match: str(human_int(match[0])), parts[index])
        text = "".join(parts)
    value = read_json(text)
    if not isinstance(value, Mapping):
        raise BadValue(f"found {text!r}, expected a JSON object")
    return value


def _object_or_text(text: str) -> Any:
    return read_json(text) if re.fullmatch(r"(?s)\s*{.*}\s*", text) else text


def _snake(text: str) -> str:
    return text.lower().replace("-", "_")


def _none_is_empty(text: str) -> str:
    """vLLM 0.33.0, engine/arg_utils.py: parse_reasoning_parser."""
    return "" if text.lower() == "none" else text


def _lora_module(text: str) -> Any:
    """``name=path`` or a JSON object with both (vLLM 0.26.0 and 0.32.0: LoRAParserAction)."""
    if "=" in text and "," not in text:
        return text
    value = read_json(text) if text else None
    if value is not None and not (isinstance(value, Mapping) and {"name", "path"} <= value.keys()):
        raise BadValue(f"found {text!r}, expected name=path or a JSON object with name and path")
    return value


def _comma_list(text: str) -> list[int | str]:
    return [int(part) if part.isdigit() else part for part in (each.strip() for each in text.split(","))]


CONVERTERS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "int": _int,
    "float": _float,
    "human_int": human_int,
    "human_int_or_auto": _human_int_or_auto,
    "si_int": _si_int,
    "json": read_json,
    "object": _object,
    "object_or_str": _object_or_text,
    "snake": _snake,
    "none_is_empty": _none_is_empty,
    "lower": str.lower,
    "upper": str.upper,
    "bool": bool,
    "comma_list": _comma_list,
    "lora_module": _lora_module,
    "json_list": read_json,
}


@cache
def _converter(name: str) -> Callable[[str], Any]:
    """By name; ``optional_…`` also reads nothing and ``None`` as null."""
    if not name.startswith("optional_"):
        return CONVERTERS.get(name, str)
    inner = CONVERTERS.get(name.removeprefix("optional_"), str)
    return lambda text: None if text in ("", "None") else inner(text)


def convert(option: Option, texts: Sequence[str]) -> Any:
    """The value that ``option`` makes of ``texts``, as many as its arity took. Raises BadValue."""
    if option.nargs is None or option.nargs == "?":
        return convert_one(option, texts[0]) if texts else option.const
    return [convert_one(option, text) for text in texts]


def convert_one(option: Option, text: str) -> Any:
    """The value of one word. Raises BadValue."""
    value = text if option.type == "str" else _converter(option.type)(text)
    if option.choices is not None and value not in option.choices:
        shown = ", ".join(str(choice) for choice in option.choices)
        raise BadValue(f"found {value!r}, expected one of {shown}")
    return value
