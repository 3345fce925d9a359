"""Findings that somebody accepts with a reason: comments ``# qwen-mtp: ignore[ID] until=DAY reason=…``, and ``ignore``
in ``x-qwen-mtp``.

A comment covers the line it stands on, or the next line below it, and what belongs to that line: lines indented
deeper (a list, a command string), and lines that a backslash joins to it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.stated import Ignored

MARK = "qwen-mtp"
"""A text without it holds neither a comment nor a block."""
FORM = "expected `# qwen-mtp: ignore[ID] until=YYYY-MM-DD reason=why`, where only `until` may be left out"

_MARK = MARK.encode()
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_COMMENT = re.compile(r"#+\s*qwen-mtp:\s*(.*)$")
_IGNORE = re.compile(r"ignore\s*\[([^\]]*)\]\s*(.*)$")
_UNTIL = re.compile(r"until\s*=\s*(\S*)(?:\s+|$)")
_LAST_UNTIL = re.compile(r"(?:^|\s+)until\s*=\s*(\S+)$")
_REASON = re.compile(r"reason\s*=\s*(.*)$")
_QUOTE = re.compile(r"""(?:^|[\s\[{(:,=])(["'])""")


@dataclass(frozen=True, slots=True)
class Suppression:
    """``rules`` as written. ``lines``: the first and the last line that a comment covers, None for an item of
    ``x-qwen-mtp``, which covers its service or file. ``until``: the last day on which it holds. ``wrong``: why it
    cannot be read and does nothing, else None."""

    place: Place
    rules: tuple[str, ...]
    reason: str | None
    until: date | None
    lines: tuple[int, int] | None
    wrong: str | None = None

    def covers(self, place: Place) -> bool:
        """Whether a comment covers what stands at ``place``."""
        if self.lines is None or place.path != self.place.path:
            return False
        return self.lines[0] <= (place.line or 1) <= self.lines[1]


def has_mark(path: str | Path) -> bool:
    """Whether the file may hold a suppression. Asked of every file, so its bytes are searched as they are."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb", buffering=0) as file:
            data = file.read()
    except (OSError, ValueError):
        return False
    return _MARK in data or (data[:2] in _UTF16 and MARK in text_of(path))


def text_of(path: str | Path) -> str:
    """The text of a file; empty where it cannot be read, which its reader tells."""
    from pytest_qwen_mtp.profiles.yamltree import Unreadable, read_text

    try:
        return read_text(Path(path))
    except (Unreadable, OSError, ValueError):
        return ""


def read_comments(text: str, path: str) -> tuple[Suppression, ...]:
    """The suppressions in the comments of a YAML file or a script, in their order."""
    if MARK not in text:
        return ()
    lines = text.splitlines()
    following = _following(lines)
    extents: dict[int | None, tuple[int, int]] = {}
    found = []
    for index, line in enumerate(lines):
        match = _COMMENT.search(line) if MARK in line else None
        if match is None or not _is_comment(line, match.start()):
            continue
        own = not line[: match.start()].strip()
        at = following[index] if own else index
        if at is not None and at not in extents:
            extents[at] = _extent(lines, at)
        covered = extents.get(at, (index + 1, index + 1))
        found.append(_read(match[1].strip(), Place(path, index + 1, match.start() + 1), covered))
    return tuple(found)


def of_ignored(items: Iterable[Ignored]) -> Iterator[Suppression]:
    """The suppressions in ``x-qwen-mtp``."""
    for item in items:
        until, wrong = _day(item.until)
        yield Suppression(item.place, item.rules, item.reason, until, None, item.wrong or wrong)


def _is_comment(line: str, start: int) -> bool:
    """Whether the ``#`` at ``start`` begins a comment: after a blank, and not inside quotes."""
    if start and not line[start - 1].isspace():
        return False
    position = 0
    while (opening := _QUOTE.search(line, position, start)) is not None:
        closing = line.find(opening[1], opening.end())
        if closing == -1 or closing >= start:
            return closing == -1  # an apostrophe that nothing closes is none
        position = closing + 1
    return True


def _following(lines: Sequence[str]) -> list[int | None]:
    """For each line the first one below it that holds more than a comment."""
    found: list[int | None] = []
    below = None
    for number in range(len(lines) - 1, -1, -1):
        found.append(below)
        text = lines[number].strip()
        if text and not text.startswith("#"):
            below = number
    return found[::-1]


def _extent(lines: Sequence[str], index: int) -> tuple[int, int]:
    """The lines, counted from 1, that belong to the one at ``index`` (from 0)."""
    first = index
    while first and _goes_on(lines[first - 1]):
        first -= 1
    last, depth = index, _indent(lines[index])
    listed = lines[index].rstrip().endswith(":") and not lines[index].lstrip().startswith("- ")
    for number in range(index + 1, len(lines)):
        text = lines[number]
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        deeper = _indent(text) > depth or (listed and _indent(text) == depth and text.lstrip().startswith("- "))
        if not deeper and not _goes_on(lines[number - 1]):
            break
        last = number
    return first + 1, last + 1


def _goes_on(line: str) -> bool:
    return line.endswith("\\") and not line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _read(text: str, place: Place, lines: tuple[int, int]) -> Suppression:
    match = _IGNORE.match(text)
    if match is None:
        return Suppression(place, (), None, None, lines, f"{text!r} is not understood; {FORM}")
    rules = tuple(name for each in match[1].split(",") if (name := each.strip()))
    if not rules:
        return Suppression(place, (), None, None, lines, f"it names no rule; {FORM}")
    rest, day, reason = match[2].strip(), None, None
    if (first := _UNTIL.match(rest)) is not None:
        day, rest = first[1], rest[first.end() :]
    elif (last := _LAST_UNTIL.search(rest)) is not None:
        day, rest = last[1], rest[: last.start()]
    if (given := _REASON.match(rest)) is not None:
        reason, rest = given[1].strip(), ""
        if len(reason) > 1 and reason[0] == reason[-1] and reason[0] in "\"'":
            reason = reason[1:-1].strip()
    until, wrong = _day(day)
    if rest and wrong is None:
        wrong = f"{rest!r} is not understood; {FORM}"
    return Suppression(place, rules, reason or None, until, lines, wrong)


def _day(text: str | None) -> tuple[date | None, str | None]:
    if text is None:
        return None, None
    try:
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            raise ValueError
        return date.fromisoformat(text), None
    except ValueError:
        return None, f"until={text} is no day; expected one such as 2027-01-31"
