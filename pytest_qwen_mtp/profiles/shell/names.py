"""The names to which a script gives a value anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

from pytest_qwen_mtp.profiles.shell.lexer import NAME
from pytest_qwen_mtp.profiles.shell.parser import Parser
from pytest_qwen_mtp.profiles.shell.syntax import Assignment, For, Parameter, Simple
from pytest_qwen_mtp.profiles.text import SourceText

_NAMING = {"read", "mapfile", "readarray", "local", "declare", "typeset", "readonly", "getopts", "printf"}


def assigned_names(sources: Iterable[SourceText]) -> frozenset[str]:
    """Names that an assignment, a loop, ``read``, ``printf -v``, ``${x:=…}`` or a declaration gives a value."""
    return frozenset().union(*(_names(source.text) for source in sources))


@lru_cache(maxsize=64)
def _names(text: str) -> frozenset[str]:
    program, _ = Parser(text).program()
    return frozenset(_walk(program))


def _walk(node: Any) -> Iterator[str]:
    if isinstance(node, (tuple, list)):
        for each in node:
            yield from _walk(each)
        return
    if isinstance(node, dict):
        yield from _walk(list(node.values()))
        return
    if not is_dataclass(node):
        return
    if isinstance(node, (Assignment, For)) or (isinstance(node, Parameter) and node.operator in ("=", ":=")):
        yield node.name
    elif isinstance(node, Simple) and node.words and node.words[0].literal() in _NAMING:
        for word in node.words[1:]:
            name = word.literal()
            if name and NAME.fullmatch(name):
                yield name
    for each in fields(node):
        yield from _walk(getattr(node, each.name))
