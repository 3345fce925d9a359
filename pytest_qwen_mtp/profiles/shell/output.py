"""``echo`` and ``printf``: text that a script writes, piece by piece with its places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell.arithmetic import NotComputable
from pytest_qwen_mtp.profiles.shell.state import FAILURE, SUCCESS, Status
from pytest_qwen_mtp.profiles.shell.values import Piece, Value, Variable, join

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.interpreter import Shell

_FORMAT = re.compile(
    r"%%|%[-+ #0]*(\*|\d+)?(?:\.(\d+))?([sdiqbcuxXofeg])|\\(?:[abefnrtv\\\"']|[0-7]{1,3}|x[0-9a-fA-F]{1,2})"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_ESCAPE = re.compile(r"\\(0?[0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.DOTALL)


def unescape(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        body = match.group(1)
        if body[0] == "x" and len(body) > 1:
            return chr(int(body[1:], 16))
        if body[0] in "01234567":
            return chr(int(body, 8) % 256)
        return _ESCAPES.get(body, body if body in "\\\"'" else "\\" + body)

    return _ESCAPE.sub(one, text)


def echo(shell: Shell, words: list[Value], offset: int) -> Status:
    words = words[1:]
    newline, escapes = True, False
    while words and re.fullmatch(r"-[neE]+", words[0].text):
        newline = newline and "n" not in words[0].text
        escapes = "e" in words[0].text
        words = words[1:]
    value = join(words, " ")
    shell.emit(value.map(unescape(value.text)) if escapes else value)
    if newline:
        shell.emit(shell.text_at("\n", offset))
    return SUCCESS


def printf(shell: Shell, words: list[Value], offset: int) -> Status:
    target = None
    words = words[1:]
    if len(words) > 1 and words[0].text == "-v":
        target, words = words[1].text, words[2:]
    if words and words[0].text == "--":
        words = words[1:]
    if not words:
        return FAILURE
    value = _formatted(shell, words[0], words[1:])
    if target is None:
        shell.emit(value)
    else:
        shell.assign(target, Variable(value))
    return SUCCESS


def _formatted(shell: Shell, pattern: Value, arguments: list[Value]) -> Value:
    """The text that ``printf`` makes; the format is used again while arguments are left."""
    pieces: list[Piece] = []
    waiting = list(arguments)
    while True:
        before = len(waiting)
        position = 0
        for match in _FORMAT.finditer(pattern.text):
            pieces.extend(pattern.cut(position, match.start()).pieces if match.start() > position else ())
            position = match.end()
            mark = match.group(3)
            if mark is None:
                pieces.extend(pattern.cut(match.start(), match.end()).map(_literal(match.group())).pieces)
                continue
            argument = waiting.pop(0) if waiting else None
            pieces.extend(_converted(shell, match, mark, argument, pattern).pieces)
        pieces.extend(pattern.cut(position).pieces if position < len(pattern.text) else ())
        if not waiting or len(waiting) == before:
            return Value(pieces)


def _literal(text: str) -> str:
    return "%" if text == "%%" else unescape(text)


def _converted(shell: Shell, match: re.Match[str], mark: str, argument: Value | None, pattern: Value) -> Value:
    if len(match.group(1) or "") > 4:
        raise NotComputable(f"printf with a field of {match.group(1)} characters")
    if argument is None:
        return pattern.cut(match.start(), match.end()).map("" if mark in "sqbc" else "0")
    text = argument.text
    if not argument.known:
        return argument
    if mark in "di" and not re.fullmatch(r"\s*-?\d+\s*", text):
        text = "0"
    elif mark == "q":
        text = re.sub(r"([^A-Za-z0-9_@%+=:,./-])", r"\\\1", text) or "''"
    elif mark == "b":
        text = unescape(text)
    elif mark == "c":
        text = text[:1]
    if match.group(1) and match.group(1) != "*":
        flags, width = match.group()[1:], int(match.group(1))
        text = text.ljust(width) if flags.startswith("-") else text.rjust(width, "0" if flags[:1] == "0" else " ")
    return argument.map(text)
