"""Environment files as Compose reads them: ``.env`` and ``env_file`` (compose-go 2.16, dotenv/parser.go).

Quotes may span lines; single quotes keep everything, double quotes know escapes and variables; without quotes the
value ends at the line or at `` #``. ``KEY`` alone takes the value that is set outside, ``KEY: value`` is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.excerpt import excerpt
from pytest_qwen_mtp.profiles.interpolation import Interpolated, Lookup, Value, Variable, interpolate
from pytest_qwen_mtp.profiles.model import Problem
from pytest_qwen_mtp.profiles.text import Anchor, Given, SourceText

_BLANK = "\t\v\f\r \x85\xa0"
_WHITE = (
    _BLANK + "\n\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_EXPORT = re.compile(r"export[\t\n\f\r ]+")
_ESCAPE = re.compile(r'\\(?:[abcfnrtv$"\\]|0[0-9]{0,3})')
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"'}


@dataclass(slots=True)
class EnvFile:
    """What an environment file gives, in its order; reading stops at the first problem, as Compose does."""

    values: dict[str, SourceText] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_env_text(
    text: str, path: str, outer: Lookup, known: Callable[[str], SourceText | None] | None = None
) -> EnvFile:
    """The variables of an environment file.

    ``outer`` is asked first for the variables that values refer to; then the file's own earlier keys, then
    ``known`` (earlier files).
    """
    return _Reader(text.removeprefix("\ufeff"), path, outer, known).read()


def read_raw_text(text: str, path: str, outer: Lookup) -> EnvFile:
    """The variables of an ``env_file`` with ``format: raw``: ``KEY=VALUE`` lines, taken as they stand."""
    result = EnvFile()
    source = SourceText.of_file(text, path)
    offset = 0
    for line in text.removeprefix("\ufeff").split("\n"):
        content = line.removesuffix("\r").lstrip(_WHITE)
        begin = offset + len(line) - len(line.lstrip(_WHITE))
        offset += len(line) + 1
        if not content or content.startswith("#"):
            continue
        key, equals, value = content.partition("=")
        place = source.place(begin)
        if not key or any(letter in key for letter in " \t"):
            found = "no name stands before the `=`" if not key else f"the name `{excerpt(key, 40)}` holds a blank"
            result.problems.append(_problem(place, found))
            break
        if equals:
            behind = source.place(begin + len(key) + 1)
            anchor = Anchor(0, behind.line or 1, behind.column or 1)
            result.values[key], result.places[key] = SourceText(value, path, (anchor,)), place
        elif (given := outer(key)) is not None:
            result.values[key], result.places[key] = SourceText.at(given.text, given.place or place), place
    return result


def _problem(place: Place, found: str) -> Problem:
    return Problem(
        "invalid-env-file",
        place,
        f"Compose cannot read this environment file: {found}",
        "Write NAME=value, one a line; quote a value that holds blanks or spans lines.",
    )


class _Reader:
    """One pass through the text; ``position`` moves forward only."""

    def __init__(self, text: str, path: str, outer: Lookup, known: Callable[[str], SourceText | None] | None) -> None:
        self.text = text
        self.path = path
        self.source = SourceText.of_file(text, path)
        self.outer = outer
        self.known = known
        self.position = 0
        self.result = EnvFile()

    def read(self) -> EnvFile:
        while not self.result.problems and self._next_statement():
            self._statement()
        return self.result

    def _next_statement(self) -> bool:
        text, end = self.text, len(self.text)
        while self.position < end:
            if text[self.position] in _WHITE:
                self.position += 1
            elif text[self.position] == "#":
                line = text.find("\n", self.position)
                self.position = end if line == -1 else line
            else:
                return True
        return False

    def _statement(self) -> None:
        exported = _EXPORT.match(self.text, self.position)
        if exported is not None:
            self.position += len("export")
            while self.text[self.position : self.position + 1] in tuple(_BLANK):
                self.position += 1
        begin = self.position
        key, separator = self._key(begin)
        if self.result.problems:
            return
        place = self.source.place(begin)
        if " " in key:
            self._fail(begin, f"the name `{excerpt(key, 40)}` holds a blank")
            return
        if separator == "\n":
            given = self.outer(key)
            if given is not None:
                self._set(key, SourceText.at(given.text, given.place or place), place)
            return
        value = self._value()
        if value is not None:
            self._set(key, value, place)

    def _key(self, begin: int) -> tuple[str, str]:
        """The name that begins here, and the character behind it; ``position`` moves to the value."""
        text, end = self.text, len(self.text)
        index = begin
        while index < end:
            letter = text[index]
            if letter in "=:\n":
                self.position = index + 1
                self._skip_blanks()
                return text[begin:index].rstrip(_WHITE), letter
            if letter not in _BLANK and letter not in "_.-[]" and not letter.isalpha() and not letter.isnumeric():
                line = text[begin:].split("\n", 1)[0]
                self._fail(index, f"the character `{letter}` stands in the name that begins `{excerpt(line, 30)}`")
                return "", ""
            index += 1
        if begin >= end:
            self._fail(end - 1, "no name stands behind `export`")
        # Else Compose reads the rest of the text as the value of a nameless variable.
        self._skip_blanks()
        return "", "="

    def _skip_blanks(self) -> None:
        while self.position < len(self.text) and self.text[self.position] in _BLANK:
            self.position += 1

    def _value(self) -> SourceText | None:
        text, begin = self.text, self.position
        quote = text[begin : begin + 1]
        if quote not in ("'", '"'):
            stop = text.find("\n", begin)
            self.position = len(text) if stop == -1 else stop + 1
            stop = len(text) if stop == -1 else stop
            comment = text.find(" #", begin, stop)
            line = text[begin : stop if comment == -1 else comment].rstrip(_WHITE)
            return self._expand(self._slice([(line, begin)]))
        return self._quoted(begin, quote)

    def _quoted(self, begin: int, quote: str) -> SourceText | None:
        text, index = self.text, begin + 1
        segments: list[tuple[str, int]] = []
        start = index
        while index < len(text):
            letter = text[index]
            if letter == "\\" and text[index + 1 : index + 2] == quote:
                segments.append((text[start:index], start))
                start = index + 1
                index += 2
            elif letter == "\\" and index + 1 < len(text):
                index += 2
            elif letter == quote:
                segments.append((text[start:index], start))
                self.position = index + 1
                value = self._slice(segments)
                return value if quote == "'" else self._expand(_unescape(value))
            else:
                index += 1
        self._fail(begin, f"the quote opened here is never closed: `{excerpt(text[begin:].splitlines()[0], 30)}`")
        return None

    def _slice(self, segments: list[tuple[str, int]]) -> SourceText:
        anchors, pieces, length = [], [], 0
        for piece, begin in segments:
            offset = 0
            while True:
                place = self.source.place(begin + offset)
                anchors.append(Anchor(length + offset, place.line or 1, place.column or 1))
                offset = piece.find("\n", offset) + 1
                if offset == 0 or offset >= len(piece):
                    break
            pieces.append(piece)
            length += len(piece)
        return SourceText("".join(pieces), self.path, anchors)

    def _expand(self, source: SourceText) -> SourceText:
        if "$" not in source.text:
            return source
        done: Interpolated = interpolate(source, self._lookup)
        self.result.variables.extend(done.variables)
        self.result.problems.extend(done.problems[:1])
        return done.text

    def _lookup(self, name: str) -> Value | None:
        outer = self.outer(name)
        if outer is not None:
            return outer
        value = self.result.values.get(name)
        if value is None and self.known is not None:
            value = self.known(name)
        return None if value is None else Value(value.text, Given.FILE, value.place(0))

    def _set(self, key: str, value: SourceText, place: Place) -> None:
        self.result.values[key] = value
        self.result.places[key] = place

    def _fail(self, position: int, found: str) -> None:
        self.result.problems.append(_problem(self.source.place(position), found))


def _unescape(source: SourceText) -> SourceText:
    """Double quotes' escapes; ``\\$`` becomes ``$$``, which interpolation then leaves as one ``$``."""
    if "\\" not in source.text:
        return source
    text, position, length = source.text, 0, 0
    pieces: list[str] = []
    anchors: list[Anchor] = []

    def add(piece: str, begin: int) -> None:
        nonlocal length
        for offset, letter in enumerate(piece):
            if offset == 0 or piece[offset - 1] == "\n" or letter == "\n":
                place = source.place(begin + offset)
                anchors.append(Anchor(length + offset, place.line or 1, place.column or 1))
        pieces.append(piece)
        length += len(piece)

    for found in _ESCAPE.finditer(text):
        add(text[position : found.start()], position)
        add(_escaped(found[0]), found.start())
        position = found.end()
    add(text[position:], position)
    return SourceText("".join(pieces), source.path, anchors or source.anchors)


def _escaped(written: str) -> str:
    letter = written[1]
    if letter == "$":
        return "$$"
    if letter == "0":
        # Go's octal escape has exactly three digits and ends at 255.
        digits = written[2:]
        fits = len(digits) == 3 and set(digits) <= set("01234567") and int(digits, 8) < 256
        return chr(int(digits, 8)) if fits else "\\" + digits
    return _SIMPLE.get(letter, written)
