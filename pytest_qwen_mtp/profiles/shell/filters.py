"""Small programs whose output follows from their words and their input, as launchers use them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell.getopt import getopt
from pytest_qwen_mtp.profiles.shell.linetools import TEXT_TOOLS, posix_pattern
from pytest_qwen_mtp.profiles.shell.output import unescape
from pytest_qwen_mtp.profiles.shell.state import FAILURE, SUCCESS, Status
from pytest_qwen_mtp.profiles.shell.values import Piece, Value, join, lines_of

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.interpreter import Shell

Builtin = Callable[["Shell", list[Value], int], Status]


def _cat(shell: Shell, words: list[Value], offset: int) -> Status:
    names = [word for word in words[1:] if not word.text.startswith("-") or word.text == "-"]
    if not names:
        _pass_input(shell, offset, "cat")
        return SUCCESS
    for name in names:
        path = shell.absolute(name.text) if name.known else None
        found = shell.files.read(path) if path else None
        if name.text == "-":
            _pass_input(shell, offset, "cat")
        elif found is not None:
            shell.emit(Value([Piece(found.text, found, 0)]))
        else:
            shell.emit_unknown(f"$(cat {name.text})", name.text, offset)
    return Status(None, program=True)


def _pass_input(shell: Shell, offset: int, program: str) -> None:
    if shell.input is None:
        shell.emit_unknown(f"$({program})", program, offset)
        return
    for line in shell.input:
        shell.emit(line)
        shell.emit(shell.text_at("\n", offset))
    shell.input = []


def _tee(shell: Shell, words: list[Value], offset: int) -> Status:
    lines = shell.input
    names = [word for word in words[1:] if not word.text.startswith("-")]
    if lines is not None:
        pieces = [piece for line in lines for piece in (*line.pieces, *shell.text_at("\n", offset).pieces)]
        for name in names:
            shell.write_file(name, Value(pieces), "-a" in {word.text for word in words[1:]})
    _pass_input(shell, offset, "tee")
    return SUCCESS


def _seq(shell: Shell, words: list[Value], offset: int) -> Status:
    numbers = [word.text for word in words[1:] if re.fullmatch(r"-?\d+", word.text)]
    if len(numbers) != len(words) - 1 or not 1 <= len(numbers) <= 3:
        shell.emit_unknown("$(seq)", "seq", offset)
        return Status(None, program=True)
    first = int(numbers[0]) if len(numbers) > 1 else 1
    step = int(numbers[1]) if len(numbers) == 3 else 1
    last = int(numbers[-1])
    inputs = frozenset().union(*(word.inputs for word in words[1:]))
    found = range(first, last + (1 if step > 0 else -1), step or 1)[:1000]
    shell.emit(shell.text_at("".join(f"{number}\n" for number in found), offset, inputs))
    return SUCCESS


def _path_part(change: Callable[[str], str]) -> Builtin:
    def builtin(shell: Shell, words: list[Value], offset: int) -> Status:
        names = words[1:]
        while names and names[0].text.startswith("-"):
            flag, names = names[0].text, names[1:]
            if flag == "-s" and len(names) > 1:  # basename -s SUFFIX NAME
                names = [names[1], names[0]]
        if not names:
            return FAILURE
        value = names[0]
        if value.known or "/" in value.text:
            text = change(value.text)
            if len(names) > 1 and text.endswith(names[1].text):
                text = text[: -len(names[1].text)]
            shell.emit(value.map(text))
        else:
            shell.emit_unknown(f"$({words[0].text} {value.text})", value.text, offset)
        shell.emit(shell.text_at("\n", offset))
        return SUCCESS

    return builtin


def _real_path(shell: Shell, words: list[Value], offset: int) -> Status:
    names = [word for word in words[1:] if not word.text.startswith("-")]
    path = shell.absolute(names[0].text) if names and names[0].known else None
    if path is None:
        shell.emit_unknown(f"$({words[0].text})", words[0].text, offset)
    else:
        shell.emit(names[0].map(path))
        shell.emit(shell.text_at("\n", offset))
    return SUCCESS


def _pwd(shell: Shell, words: list[Value], offset: int) -> Status:
    if shell.directory is None:
        shell.emit_unknown("${PWD}", "PWD", offset)
    else:
        shell.emit(shell.text_at(shell.directory, offset))
    shell.emit(shell.text_at("\n", offset))
    return SUCCESS


def _tr(shell: Shell, words: list[Value], offset: int) -> Status:
    """``tr`` between plain sets and with ``-d``; its other forms are a program's own affair."""
    lines, rest = shell.input, [word.text for word in words[1:]]
    if lines is None or not all(line.known for line in lines) or len(rest) != 2:
        shell.emit_unknown("$(tr)", "tr", offset)
        return Status(None, program=True)
    whole = join(lines, "\n").text + "\n"
    if rest[0] == "-d":
        gone = set(_set(rest[1]))
        changed = "".join(each for each in whole if each not in gone)
    else:
        source, target = _set(rest[0]), _set(rest[1])
        table = {each: target[min(at, len(target) - 1)] for at, each in enumerate(source)} if target else {}
        ended = Value([*join(lines, "\n").pieces, *shell.text_at("\n", offset).pieces])
        translate = str.maketrans(table)
        shell.emit(Value([replace(piece, text=piece.text.translate(translate)) for piece in ended.pieces]))
        return SUCCESS
    shell.emit(join(lines, "\n").map(changed))
    return SUCCESS


def _set(text: str) -> str:
    text = text.replace("[:upper:]", "A-Z").replace("[:lower:]", "a-z").replace("[:space:]", " \t\n")
    text = unescape(text).strip("[]")
    return re.sub(r"(.)-(.)", _letters, text)


def _letters(match: re.Match[str]) -> str:
    return "".join(map(chr, range(ord(match.group(1)), ord(match.group(2)) + 1)))


def _grep(shell: Shell, words: list[Value], offset: int) -> Status:
    """``grep`` over known lines with a plain pattern; its other forms are a program's own affair."""
    options = "".join(word.text[1:] for word in words[1:] if re.fullmatch(r"-[a-zA-Z]+", word.text))
    rest = [word for word in words[1:] if not re.fullmatch(r"-[a-zA-Z]+", word.text)]
    lines = shell.input if len(rest) == 1 else _lines_of_file(shell, rest[1]) if len(rest) == 2 else None
    if lines is None or not set(options) <= set("vEeiqhs") or not all(line.known for line in lines):
        shell.emit_unknown(f"$({' '.join(word.text for word in words)})", "grep", offset)
        return Status(None, program=True)
    try:
        pattern = posix_pattern(rest[0].text, "E" in options, "i" in options)
    except re.error:
        shell.emit_unknown("$(grep)", "grep", offset)
        return Status(None, program=True)
    found = [line for line in lines if bool(pattern.search(line.text)) != ("v" in options)]
    if "q" not in options:
        for line in found:
            shell.emit(line)
            shell.emit(shell.text_at("\n", offset))
    return SUCCESS if found else FAILURE


def _lines_of_file(shell: Shell, name: Value) -> list[Value] | None:
    path = shell.absolute(name.text) if name.known else None
    found = shell.files.read(path) if path else None
    return None if found is None else lines_of(Value([Piece(found.text, found, 0)]))


def _xargs(shell: Shell, words: list[Value], offset: int) -> Status:
    """``xargs`` with no program: the words of all lines in one line. With one: it is started with them behind."""
    mark, at_once, index = None, None, 1
    plain = True
    while index < len(words) and words[index].text.startswith("-"):
        letter, value = words[index].text[1:2], words[index].text[2:]
        if letter in "InPLsdaE" and not value and index + 1 < len(words):
            index += 1
            value = words[index].text
        mark = value if letter == "I" else mark
        at_once = int(value) if letter in "nL" and value.isdigit() else at_once
        plain = plain and letter in "IrtPn"
        index += 1
    program, lines = words[index:], shell.input
    if mark and lines is not None:
        return _xargs_each(shell, program, mark, offset)
    if lines is None or not plain or not all(line.known for line in lines):
        shell.emit_unknown("$(xargs)", "xargs", offset)
        return Status(None, program=True)
    found = [part for line in lines for part in _xargs_words(line)]
    shell.input = []
    if program:
        size = at_once or max(len(found), 1)
        for first in range(0, max(len(found), 1), size):
            status = shell.call_program([*program, *found[first : first + size]], offset)
        return status
    shell.emit(join(found, " "))
    shell.emit(shell.text_at("\n", offset))
    return SUCCESS


def _xargs_each(shell: Shell, program: list[Value], mark: str, offset: int) -> Status:
    """``xargs -I{} program … {} …``: once for every line."""
    lines, shell.input = shell.input or [], []
    for line in lines:
        each = [line if word.text == mark else word.map(word.text.replace(mark, line.text)) for word in program]
        if each:
            shell.call_program(each, offset)
    return SUCCESS


def _xargs_words(line: Value) -> Iterator[Value]:
    """Words at blanks; quotes hold together what stands between them."""
    for match in re.finditer(r"(?:[^\s\"'\\]|\\.|\"[^\"]*\"|'[^']*')+", line.text):
        inner = re.sub(r"\\(.)|[\"']", lambda quote: quote.group(1) or "", match.group())
        yield line.cut(match.start(), match.end()).map(inner)


def _ends(first: bool) -> Builtin:
    """``head -n N`` and ``tail -n N`` of known lines."""

    def builtin(shell: Shell, words: list[Value], offset: int) -> Status:
        rest = [word for word in words[1:] if word.text != "-n"]
        count = re.fullmatch(r"-?n?(\d+)", rest[0].text) if rest else None
        names = rest[1:] if count else rest
        lines = _lines_of_file(shell, names[0]) if names else shell.input
        if lines is None:
            shell.emit_unknown(f"$({words[0].text})", words[0].text, offset)
            return Status(None, program=True)
        number = int(count.group(1)) if count else 10
        for line in lines[:number] if first else lines[max(len(lines) - number, 0) :]:
            shell.emit(line)
            shell.emit(shell.text_at("\n", offset))
        return SUCCESS

    return builtin


FILTERS: dict[str, Builtin] = {
    "cat": _cat,
    "tee": _tee,
    "seq": _seq,
    "tr": _tr,
    "grep": _grep,
    "egrep": _grep,
    "xargs": _xargs,
    **TEXT_TOOLS,
    "head": _ends(first=True),
    "tail": _ends(first=False),
    "getopt": getopt,
    "pwd": _pwd,
    "basename": _path_part(lambda text: posixpath.basename(text.rstrip("/"))),
    "dirname": _path_part(lambda text: posixpath.dirname(text.rstrip("/")) or "."),
    "realpath": _real_path,
    "readlink": _real_path,
}
