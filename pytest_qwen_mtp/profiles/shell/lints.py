"""Mistakes that only the text of a script shows: the shell reads on without an error, and not as it was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pytest_qwen_mtp.profiles.shell.interpreter import parse
from pytest_qwen_mtp.profiles.shell.syntax import (
    AndOr,
    Command,
    CommandList,
    Literal,
    Parameter,
    Pipeline,
    Redirected,
    ShellWord,
    Simple,
)

_SYNTAX = CommandList.__module__
CONTINUATION = "broken-line-continuation"
COMMENT = "commented-flag-ends-command"
BRACE = "broken-default-brace"

# A look at the text first: nearly no script has any of these.
_SUSPECT = re.compile(
    r"(?<!\\)\n[ \t]*(?:-{1,2}[A-Za-z]|['\"]?\{\\?[\"'])|\\\n[ \t]*#|\\[ \t\r]+\n|\$\{\w+:?[-=+][^}\n]*\{"
)
_OPTION = re.compile(r"--?[A-Za-z]|['\"]?\{\\?[\"']")
_COMMENTED = re.compile(r"\\\n[ \t]*(#)[^\n]*")
_STRAY_BLANK = re.compile(r"\\[ \t\r]")
_REST_BLANK = re.compile(r"[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class Lint:
    """``offset`` is the culprit; ``commands`` are the offsets of the commands that are not what they were meant to be.

    A default that ends early belongs to no command but to the words that it fills in: its ``commands`` are empty.
    """

    kind: str
    offset: int
    message: str
    fix: str
    commands: tuple[int, ...] = ()


@lru_cache(maxsize=64)
def lint(text: str) -> tuple[Lint, ...]:
    """What is wrong in a script, in the order of its text. Kept, since runs are repeated."""
    if _SUSPECT.search(text) is None:
        return ()
    found: list[Lint] = []
    for node in _nodes(parse(text)[0]):
        if isinstance(node, CommandList):
            found.extend(_breaks(text, node))
        elif isinstance(node, Parameter):
            found.extend(_early_end(text, node))
    return tuple(sorted(found, key=lambda each: each.offset))


def _nodes(node: Any) -> Iterator[Any]:
    """``node`` and all below it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is tuple or kind is list:
            waiting.extend(each)
        elif kind is dict:
            waiting.extend(each.values())
        elif kind is not Literal and kind.__module__ == _SYNTAX:
            yield each
            waiting.extend(getattr(each, name) for name in kind.__slots__)


# -- commands that end too early ----------------------------------------------------------------------------------


def _breaks(text: str, body: CommandList) -> Iterator[Lint]:
    """Where a command of ``body`` ends although the next line was meant to go on with it."""
    for index, item in enumerate(body.items):
        after = body.items[index + 1] if index + 1 < len(body.items) else None
        commands = [*_simple(item)]
        if not commands or item.background or not commands[-1].words or _is_rest(text, commands[-1]):
            continue
        last, offsets = commands[-1].words[-1], tuple(command.offset for command in commands)
        stray = next((word for command in commands for word in command.words if _is_stray_blank(text, word)), None)
        if stray is not None:
            carriage = text[stray.offset + 1] == "\r"
            what = "a carriage return" if carriage else "a blank"
            yield Lint(
                CONTINUATION,
                stray.offset,
                f"{what} behind the backslash: the command gets it as a word of its own and ends with this line",
                "save the file with Unix line ends" if carriage else "take the blank behind the backslash away",
                offsets,
            )
            continue
        rest = None if after is None else next(_simple(after), None)
        if rest is None or rest.assignments or not rest.words:
            continue
        between = text[last.end : rest.offset]
        if ";" in _COMMENTED.sub("", between):
            continue
        commented = _COMMENTED.search(between)
        if commented is not None:
            if _is_rest(text, rest) or (commented.group().endswith("\\") and between.count("\n") == 2):
                yield Lint(
                    COMMENT,
                    last.end + commented.start(1),
                    "the comment ends the command: its backslash is part of the comment, and the lines below run as a "
                    "command of their own",
                    "move the comment above the command, or take the line out",
                    offsets,
                )
        elif _is_rest(text, rest):
            empty = between.lstrip(" \t").startswith("\\\n")
            yield Lint(
                CONTINUATION,
                rest.offset,
                "the command has ended before this line, which runs as a command of its own: "
                + ("an empty line stands in between" if empty else "no backslash ends the line above"),
                "take the empty line out" if empty else "put a backslash at the end of the line above",
                offsets,
            )


def _simple(item: AndOr) -> Iterator[Simple]:
    """The plain commands of ``item``, in their order."""
    for pipeline in (item.first, *(each for _, each in item.rest)):
        for command in pipeline.commands:
            inner: Command = command
            while isinstance(inner, Redirected):
                inner = inner.command
            if isinstance(inner, Simple):
                yield inner
            elif isinstance(inner, Pipeline):
                yield from _simple(AndOr(inner))


def _is_rest(text: str, command: Simple) -> bool:
    """Whether a command begins with what no program is called: an option, or a JSON value."""
    return not command.assignments and bool(command.words) and _OPTION.match(text, command.words[0].offset) is not None


def _is_stray_blank(text: str, word: ShellWord) -> bool:
    return (
        word.end - word.offset == 2
        and _STRAY_BLANK.match(text, word.offset) is not None
        and _REST_BLANK.match(text, word.end) is not None
    )


# -- defaults that end too early ----------------------------------------------------------------------------------


def _early_end(text: str, part: Parameter) -> Iterator[Lint]:
    """``${X:-{…}}``: the default ends at the first brace that closes, whatever it opened (bash 5.2, POSIX 2.6.2)."""
    if part.argument is None or part.operator.lstrip(":") not in ("-", "=", "+"):
        return
    if text[part.end : part.end + 1] != "}":
        return
    plain = "".join(each.text for each in part.argument.parts if isinstance(each, Literal))
    if plain.count("{") <= plain.count("}"):
        return
    always = part.operator.endswith("+")
    when = "while it is not set" if always else "as soon as it is set"
    yield Lint(
        BRACE,
        part.offset,
        f"the default of {part.name} ends at its first }}: one more is left over, {when}",
        f"put the default into a variable of its own, and write ${{{part.name}{part.operator}$DEFAULT}}",
    )
