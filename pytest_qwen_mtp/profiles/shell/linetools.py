"""``sed``, ``cut``, ``sort``, ``paste`` and ``wc`` over known lines, in the forms that launchers use.

Options by the manual pages of GNU coreutils 9 and sed 4.9. What is not understood gives an unknown
output, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell.state import SUCCESS, Status
from pytest_qwen_mtp.profiles.shell.values import Piece, Value, join, lines_of

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.interpreter import Shell

Lines = list[Value]
_SUBSTITUTE = re.compile(r"s([^\w\s\\])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gIi0-9]*)", re.DOTALL)
_ADDRESS = re.compile(r"(?:(\d+)|/((?:\\.|[^/\\])+)/)?\s*(!?)\s*", re.DOTALL)
_POSIX_CLASSES = {"digit": "0-9", "alpha": "a-zA-Z", "alnum": "a-zA-Z0-9", "space": r"\s", "blank": r" \t"}


def posix_pattern(text: str, extended: bool, ignores_case: bool = False) -> re.Pattern[str]:
    """A POSIX regular expression for Python. Raises re.error where it cannot be read."""
    plain = re.sub(r"\[:(\w+):\]", lambda match: _POSIX_CLASSES.get(match.group(1), match.group()), text)
    expression = plain if extended else re.sub(r"\\?([(){}+?|])", _swapped, plain)
    return re.compile(expression, re.IGNORECASE if ignores_case else 0)


def _swapped(match: re.Match[str]) -> str:
    """In a basic expression the bare marks are plain and the escaped ones special; in Python it is the reverse."""
    return match.group(1) if match.group().startswith("\\") else "\\" + match.group(1)


def _given_lines(shell: Shell, names: Sequence[Value]) -> Lines | None:
    """The lines of the named files, or the input; None where they are not known."""
    if not names:
        lines = shell.input
    else:
        lines = []
        for name in names:
            path = shell.absolute(name.text) if name.known else None
            found = shell.files.read(path) if path else None
            if found is None:
                return None
            lines.extend(lines_of(Value([Piece(found.text, found, 0)])))
    return lines if lines is not None and all(line.known for line in lines) else None


Source = Callable[[Sequence[Value]], Lines | None]
"""Gives the lines of the named files, or of the input where none is named; None where they are not known."""


def _tool(work: Callable[[list[Value], Source], Lines | None]) -> Callable[[Shell, list[Value], int], Status]:
    """A program that makes lines of lines; ``work`` gives None where its words or its input are not understood."""

    def builtin(shell: Shell, words: list[Value], offset: int) -> Status:
        known = all(word.known for word in words)
        try:
            made = work(words[1:], lambda names: _given_lines(shell, names)) if known else None
        except re.error:
            made = None
        if made is None:
            shell.emit_unknown(f"$({words[0].text})", words[0].text, offset)
            return Status(None, program=True)
        for line in made:
            shell.emit(line)
            shell.emit(shell.text_at("\n", offset))
        return SUCCESS

    return builtin


def _sed(words: list[Value], lines_from: Source) -> Lines | None:
    """``s`` with its flags, ``d`` and ``p``, each behind a line number or a pattern; ``-n``, ``-e`` and ``-E``."""
    scripts: list[str] = []
    names: list[Value] = []
    extended = quiet = False
    index = 0
    while index < len(words):
        text = words[index].text
        if text in ("-e", "--expression") and index + 1 < len(words):
            index += 1
            scripts.append(words[index].text)
        elif re.fullmatch(r"-[nEru]+", text):
            extended, quiet = extended or bool(set(text) & set("Er")), quiet or "n" in text
        elif text.startswith("-") and len(text) > 1:
            return None
        else:
            names.append(words[index])
        index += 1
    if not scripts:
        if not names:
            return None
        scripts.append(names.pop(0).text)
    commands = _sed_commands("\n".join(scripts), extended)
    lines = lines_from(names)
    if commands is None or lines is None:
        return None
    made: Lines = []
    for number, given in enumerate(lines, start=1):
        line, kept = given, not quiet
        for applies, letter, change in commands:
            if not applies(number, line.text):
                continue
            if letter == "d":
                kept = False
                break
            if letter == "p":
                made.append(line)
            elif change is not None:
                text = change(line.text)
                line = line.cut(0, len(text)) if line.text.startswith(text) else line.map(text)
        if kept:
            made.append(line)
    return made


_Command = tuple[Callable[[int, str], bool], str, "Callable[[str], str] | None"]


def _sed_commands(script: str, extended: bool) -> list[_Command] | None:
    found: list[_Command] = []
    position = 0
    while position < len(script):
        if script[position] in " \t\n;":
            position += 1
            continue
        address = _ADDRESS.match(script, position)
        assert address is not None
        position = address.end()
        applies = _applies(address, extended)
        replaced = _SUBSTITUTE.match(script, position)
        if replaced is not None:
            found.append((applies, "s", _substitution(replaced, extended)))
            position = replaced.end()
        elif script[position : position + 1] in ("d", "p"):
            found.append((applies, script[position], None))
            position += 1
        else:
            return None
        if position < len(script) and script[position] not in " \t\n;":
            return None
    return found


def _applies(address: re.Match[str], extended: bool) -> Callable[[int, str], bool]:
    number, text, negated = address.group(1), address.group(2), bool(address.group(3))
    pattern = posix_pattern(text.replace("\\/", "/"), extended) if text else None

    def applies(at: int, line: str) -> bool:
        if number is None and pattern is None:
            return True
        hit = at == int(number) if number is not None else bool(pattern and pattern.search(line))
        return hit != negated

    return applies


def _substitution(given: re.Match[str], extended: bool) -> Callable[[str], str]:
    mark, text, by, flags = given.groups()
    pattern = posix_pattern(text.replace("\\" + mark, mark), extended, "i" in flags.lower())
    pieces = re.split(r"(\\.|&)", by.replace("\\" + mark, mark) if mark != "&" else by, flags=re.DOTALL)

    def filled(match: re.Match[str]) -> str:
        out = []
        for piece in pieces:
            if piece == "&":
                out.append(match.group())
            elif len(piece) == 2 and piece[0] == "\\":
                letter = piece[1]
                out.append((match.group(int(letter)) or "") if letter.isdigit() else {"n": "\n"}.get(letter, letter))
            else:
                out.append(piece)
        return "".join(out)

    return lambda line: pattern.sub(filled, line, count=0 if "g" in flags else 1)


def _cut(words: list[Value], lines_from: Source) -> Lines | None:
    """``cut -d X -f LIST`` and ``cut -c LIST``."""
    separator, wanted, letters, names = "\t", "", False, []
    index = 0
    while index < len(words):
        text = words[index].text
        if text[:2] in ("-d", "-f", "-c") and len(text) >= 2:
            value = text[2:]
            if not value and index + 1 < len(words):
                index += 1
                value = words[index].text
            separator = value if text[1] == "d" else separator
            wanted = value if text[1] in "fc" else wanted
            letters = letters or text[1] == "c"
        elif text.startswith("-"):
            return None
        else:
            names.append(words[index])
        index += 1
    lines = lines_from(names)
    ranges = re.findall(r"(\d*)(-?)(\d*)(?:,|$)", wanted)[:-1] or re.findall(r"(\d*)(-?)(\d*)", wanted)[:1]
    if lines is None or not wanted or len(separator) != 1 or not re.fullmatch(r"[\d,-]+", wanted):
        return None

    def chosen(at: int) -> bool:
        return any(
            (int(first or 1) <= at <= int(last or at)) if dash else bool(first) and at == int(first)
            for first, dash, last in ranges
        )

    made = []
    for line in lines:
        parts = list(line.text) if letters else line.text.split(separator)
        if not letters and len(parts) == 1:
            made.append(line)
            continue
        kept = [part for at, part in enumerate(parts, start=1) if chosen(at)]
        made.append(line.map(("" if letters else separator).join(kept)))
    return made


def _sort(words: list[Value], lines_from: Source) -> Lines | None:
    flags = "".join(word.text[1:] for word in words if word.text.startswith("-"))
    lines = lines_from([word for word in words if not word.text.startswith("-")])
    if lines is None or not set(flags) <= set("ur") or any(not line.text.isascii() for line in lines):
        return None
    # Another locale than C orders letters without regard to case, so only what both agree on is known.
    if any(a.text < b.text and a.text.lower() > b.text.lower() for a in lines for b in lines[:100]):
        return None
    made = sorted(lines, key=lambda line: line.text, reverse="r" in flags)
    return list({line.text: line for line in made}.values()) if "u" in flags else made


def _paste(words: list[Value], lines_from: Source) -> Lines | None:
    """``paste -s -d X``: all lines in one."""
    separator, serial, names = "\t", False, []
    index = 0
    while index < len(words):
        text = words[index].text
        found = re.fullmatch(r"-(s?)(?:d(.*))?", text, re.DOTALL)
        if text != "-" and found is not None:
            serial = serial or bool(found.group(1))
            if found.group(2) is not None:
                separator = found.group(2)
                if not separator and index + 1 < len(words):
                    index += 1
                    separator = words[index].text
        elif text != "-":
            names.append(words[index])
        index += 1
    lines = lines_from(names)
    if lines is None or not serial or len(separator) != 1:
        return None
    return [join(lines, separator)] if lines else []


def _wc(words: list[Value], lines_from: Source) -> Lines | None:
    """``wc -l`` and ``wc -w`` of the input."""
    lines = lines_from(())
    if len(words) != 1 or words[0].text not in ("-l", "-w") or not lines:
        return None
    number = len(lines) if words[0].text == "-l" else sum(len(line.text.split()) for line in lines)
    return [lines[0].map(str(number))]


TEXT_TOOLS = {
    "sed": _tool(_sed),
    "cut": _tool(_cut),
    "sort": _tool(_sort),
    "paste": _tool(_paste),
    "wc": _tool(_wc),
}
