"""What an argparse option accepts, in plain values: the form in which the engines' own parsers are compared."""

from __future__ import annotations

import argparse
import enum
from typing import Any


def plain(value: Any) -> Any:
    """``value`` as JSON; an object of a class of its own by the name of the class."""
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is argparse.SUPPRESS:
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(each) for each in value), key=str)
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    return {"object": type(value).__name__}


def described(parser: argparse.ArgumentParser) -> list[dict[str, Any]]:
    """Every option of ``parser`` with all the spellings it accepts, those that the help leaves out too."""
    strings: dict[int, list[str]] = {}
    actions: dict[int, argparse.Action] = {}
    for string, action in parser._option_string_actions.items():
        strings.setdefault(id(action), []).append(string)
        actions[id(action)] = action
    return [_described(actions[key], strings[key]) for key in actions]


def _described(action: argparse.Action, strings: list[str]) -> dict[str, Any]:
    kind = action.type
    return {
        "strings": strings,
        "name": action.dest,
        "action": type(action).__name__,
        "nargs": action.nargs,
        "type": None if kind is None else getattr(kind, "__name__", type(kind).__name__),
        "choices": None if action.choices is None else plain(list(action.choices)),
        "default": plain(action.default),
        "const": plain(action.const),
        "required": action.required,
    }
