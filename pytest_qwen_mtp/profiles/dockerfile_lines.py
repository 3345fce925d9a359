"""Dockerfile text → instructions: parser directives, continued lines, comments within, here-documents.

Rules by the Dockerfile reference and BuildKit's ``frontend/dockerfile/parser``: a comment or blank line between
continued lines is skipped, blanks behind the escape character do not matter.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.text import Anchor, Reference, SourceText

_DIRECTIVE = re.compile(r"#\s*([A-Za-z][A-Za-z0-9]*)\s*=\s*(.+?)\s*$")
_HEREDOC = re.compile(r"(?:^|(?<=\s))\d*<<(-?)\s*(?P<name>(?:\"[^\"\n]+\"|'[^'\n]+'|[^\s<\"'])+)")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
_WITH_HEREDOC = frozenset(("RUN", "COPY", "ADD"))


@dataclass(frozen=True, slots=True)
class Heredoc:
    """One here-document: its name, its body, whether variables in it are filled in, whether its end was found."""

    name: str
    body: SourceText
    expand: bool
    closed: bool


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: upper-case keyword, the rest of its joined lines, here-documents that follow."""

    keyword: str
    rest: SourceText
    place: Place
    heredocs: tuple[Heredoc, ...] = ()


@dataclass(frozen=True, slots=True)
class Instructions:
    """All instructions of a file, and the escape character its directive chose."""

    items: tuple[Instruction, ...]
    escape: str


def read_instructions(text: SourceText) -> Instructions:
    """The instructions of ``text`` in order. Never raises: what is no instruction is judged by the caller."""
    lines = list(_lines(text.text))
    escape = "\\"
    index = 0
    while index < len(lines):
        start, end = lines[index]
        directive = _DIRECTIVE.match(text.text[start:end].strip())
        if directive is None:
            break
        if directive[1].lower() == "escape" and directive[2] in ("\\", "`"):
            escape = directive[2]
        index += 1
    return Instructions(tuple(_instructions(text, lines, index, escape)), escape)


def cut(text: SourceText, pieces: Sequence[tuple[int, int]]) -> SourceText:
    """The ranges ``pieces`` of ``text`` joined, every character with the place it had."""
    anchors: list[Anchor] = []
    uses: list[tuple[int, int, Reference]] = []
    length = 0
    for start, end in pieces:
        behind = bisect_right(text.anchors, start, key=_offset)
        last = bisect_left(text.anchors, end, key=_offset)
        first = text.place(start)
        step = text.anchors[behind - 1].step if behind else 1
        anchors.append(Anchor(length, first.line or 1, first.column or 1, step))
        anchors += [
            Anchor(length + anchor.offset - start, anchor.line, anchor.column, anchor.step)
            for anchor in text.anchors[behind:last]
        ]
        uses += [
            (length + max(low, start) - start, length + min(high, end) - start, use)
            for low, high, use in text.uses
            if low <= end and high >= start
        ]
        length += end - start
    return SourceText("".join(text.text[start:end] for start, end in pieces), text.path, anchors or text.anchors, uses)


def _offset(anchor: Anchor) -> int:
    return anchor.offset


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every line, without its line break (LF or CRLF)."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        stop = len(text) if end < 0 else end
        yield start, stop - 1 if stop > start and text[stop - 1] == "\r" else stop
        start = len(text) if end < 0 else end + 1


def _instructions(text: SourceText, lines: Sequence[tuple[int, int]], index: int, escape: str) -> Iterator[Instruction]:
    continued = re.compile(rf"(?<!{re.escape(escape)}){re.escape(escape)}[ \t]*$")
    while index < len(lines):
        pieces: list[tuple[int, int]] = []
        while index < len(lines):
            start, end = lines[index]
            index += 1
            line = text.text[start:end]
            bare = line.strip()
            if not bare or bare.startswith("#"):
                if pieces:
                    continue
                break
            goes_on = continued.search(line)
            pieces.append((start, start + goes_on.start()) if goes_on else (start, end))
            if not goes_on:
                break
        if not pieces:
            continue
        whole = text.text[pieces[0][0] : pieces[0][1]]
        skip = len(whole) - len(whole.lstrip())
        word = re.match(r"\S*", whole[skip:])
        keyword = word[0] if word else ""
        begin = pieces[0][0] + skip
        behind = begin + len(keyword)
        pieces[0] = (behind, pieces[0][1])
        rest = _strip(cut(text, pieces))
        heredocs: tuple[Heredoc, ...] = ()
        if keyword.upper() in _WITH_HEREDOC and "<<" in rest.text:
            heredocs, index = _heredocs(text, lines, index, rest.text)
        yield Instruction(keyword.upper(), rest, text.place(begin), heredocs)


def _strip(text: SourceText) -> SourceText:
    start = len(text.text) - len(text.text.lstrip())
    return cut(text, [(start, max(start, len(text.text.rstrip())))])


def _heredocs(
    text: SourceText, lines: Sequence[tuple[int, int]], index: int, rest: str
) -> tuple[tuple[Heredoc, ...], int]:
    """The documents that ``rest`` announces, in order. One that never ends reaches to the end of the file."""
    found: list[Heredoc] = []
    inside = [match.span() for match in _QUOTED.finditer(rest)]
    for match in _HEREDOC.finditer(rest):
        if any(start < match.start() < end for start, end in inside):
            continue
        name = match["name"].replace('"', "").replace("'", "")
        pieces: list[tuple[int, int]] = []
        closed = False
        while index < len(lines) and not closed:
            start, end = lines[index]
            index += 1
            if match[1]:
                start += len(text.text[start:end]) - len(text.text[start:end].lstrip("\t"))
            closed = text.text[start:end] == name
            newline = text.text.find("\n", end)
            if not closed:  # the line break belongs to the body, a carriage return before it does not
                pieces.append((start, end))
                pieces += [(newline, newline + 1)] if newline >= 0 else []
        found.append(Heredoc(name, cut(text, pieces), name == match["name"], closed))
    return tuple(found), index
