"""Splitting a command string into words as Compose does (mattn/go-shellwords 1.0.15, no variables, no backticks).

It is not a shell: quotes and backslashes work, but a free ``>``, ``|``, ``&``, ``;`` or ``<`` ends the command without
a word, and nothing behind it reaches the container.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.excerpt import excerpt
from pytest_qwen_mtp.profiles.model import Problem, Word
from pytest_qwen_mtp.profiles.text import Reference, SourceText


@dataclass(frozen=True, slots=True)
class Split:
    """The words of a command string. A word that holds blanks (a script, JSON) has its ``source``.

    ``cut`` is where a free operator ended the command, ``vanished`` are references that gave no word at all (an
    unset variable that stands alone).
    """

    words: tuple[Word, ...]
    cut: Place | None = None
    vanished: tuple[Reference, ...] = ()
    problem: Problem | None = None


_SPACE = " \t\r\n"
_FREE = re.compile(r"[^\\ \t\r\n`()\"';&|<>]+")
_IN_SINGLE = re.compile(r"[^']+")
_IN_DOUBLE = re.compile(r'[^"\\]+')
_BREAKS = ";&|<>"
_ESCAPED = {"t": "\t", "n": "\n"}


def split_command(source: SourceText) -> Split:
    """The words of ``source``, which is interpolated already.

    An unclosed quote or bracket is a problem ``invalid-command`` at the place where it opens; the words read until
    there are given all the same.
    """
    scanner = _Scanner(source)
    scanner.scan()
    scanner.end()
    return Split(tuple(scanner.words), scanner.cut, tuple(scanner.vanished), scanner.problem)


class _Scanner:
    """The state of the splitter: open quotes, the word that grows, and where it began."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.words: list[Word] = []
        self.cut: Place | None = None
        self.problem: Problem | None = None
        self.vanished: list[Reference] = []
        self._open: list[tuple[int, int, Reference]] = []
        self._next = 0
        self._used: set[int] = set()
        self._found: list[tuple[int, int, Reference]] = []
        self._buffer: list[str] = []
        self._positions: list[int] = []
        self._begin = -1
        self._got = False
        self._single = self._double = self._back = self._dollar = -1

    def scan(self) -> None:
        text, position, end = self.source.text, 0, len(self.source.text)
        while position < end:
            run = self._run(text, position)
            if run > position:
                self._take(text[position:run], position)
                position = run
                continue
            letter = text[position]
            if letter == "\\" and self._single < 0:
                if position + 1 == end:
                    self._fail(position, "a backslash stands at the end and escapes nothing")
                    return
                following = text[position + 1]
                kept = self._back >= 0 or self._dollar >= 0
                self._take(f"\\{following}" if kept else _ESCAPED.get(following, following), position)
                position += 2
                continue
            if letter in _SPACE:
                if self._quoted():
                    self._take(letter, position)
                else:
                    self._finish(position)
            elif not self._special(letter, position):
                return
            position += 1
        self._finish(end)
        self._check_closed()

    def end(self) -> None:
        """Settles which references gave no word."""
        self._open.extend(self.source.uses[self._next :])
        self._close(float("inf"))

    def _references(self, begin: int, end: int) -> tuple[Reference, ...]:
        """The references that filled in part of the word at ``begin``; what lies before it has vanished."""
        uses = self.source.uses
        while self._next < len(uses) and uses[self._next][0] <= end:
            self._open.append(uses[self._next])
            self._next += 1
        self._close(begin)
        found = [use for use in self._open if (use[0] < end and use[1] > begin) or begin <= use[0] == use[1] <= end]
        self._used.update(id(use) for use in found)
        self._found = found
        return tuple(reference for _, _, reference in found)

    def _close(self, begin: float) -> None:
        """Puts aside the references that end before ``begin``, and notes those that no word has used."""
        for use in self._open:
            if use[1] < begin and id(use) not in self._used:
                self.vanished.append(use[2])
        self._open = [use for use in self._open if use[1] >= begin]

    def _run(self, text: str, position: int) -> int:
        """The end of the characters from ``position`` that mean nothing special in the present state."""
        if self._single >= 0:
            found = _IN_SINGLE.match(text, position)
        elif self._double >= 0:
            found = _IN_DOUBLE.match(text, position)
        else:
            found = _FREE.match(text, position)
        return found.end() if found else position

    def _quoted(self) -> bool:
        return self._single >= 0 or self._double >= 0 or self._back >= 0 or self._dollar >= 0

    def _special(self, letter: str, position: int) -> bool:
        """One quote, bracket or operator. False where the command ends here."""
        substituted = self._back >= 0 or self._dollar >= 0  # nothing but its end means anything inside
        if letter == '"' and self._single < 0 and not substituted:
            self._double = self._toggle(self._double, position)
            return True
        if letter == "'" and self._double < 0 and not substituted:
            self._single = self._toggle(self._single, position)
            return True
        if letter == "`" and self._single < 0 and self._double < 0 and self._dollar < 0:
            self._back = -1 if self._back >= 0 else position
        elif letter in "()" and self._single < 0 and self._double < 0 and self._back < 0:
            opened = self._dollar >= 0
            if letter == "(" and not opened and self._ends_with_dollar():
                self._dollar = position
            elif letter == ")" and opened:
                self._dollar = -1
            else:
                self._fail(position, f"a free `{letter}` stands outside of quotes")
                return False
        elif letter in _BREAKS and not self._quoted():
            self._break(letter, position)
            return False
        self._take(letter, position)
        return True

    def _toggle(self, opened: int, position: int) -> int:
        """Opens a quote at ``position``, or closes it; a closed quote makes a word even when it is empty."""
        if self._begin < 0:
            self._begin = position
        if opened >= 0:
            self._got = True
            return -1
        return position

    def _ends_with_dollar(self) -> bool:
        """Whether ``(`` would begin a substitution here; a backslash in the word before the dollar forbids it."""
        end = "".join(self._buffer[-2:])
        return end.endswith("$") and not end.endswith("\\$")

    def _take(self, piece: str, position: int) -> None:
        if self._begin < 0:
            self._begin = position
        self._buffer.append(piece)
        self._positions.append(position)
        self._got = True

    def _finish(self, end: int) -> None:
        if self._got:
            begin = self._begin
            place = self.source.place(begin)
            self._found = []
            references = self._references(begin, end) if self.source.uses else ()
            text = "".join(self._buffer)
            inner = self._source() if " " in text or "\n" in text else None
            self.words.append(Word(text, place, references, inner))
        if not self._quoted():
            self._buffer, self._positions, self._got, self._begin = [], [], False, -1

    def _source(self) -> SourceText:
        """The word that grew, each piece at its own place, and what of it was filled in."""
        pieces = zip(self._buffer, self._positions, strict=True)
        text = SourceText.of_pieces([(piece, self.source, position, ()) for piece, position in pieces])
        uses = ((self._inside(first), self._inside(last), use) for first, last, use in self._found)
        return SourceText(text.text, text.path, text.anchors, uses)

    def _inside(self, position: int) -> int:
        """Where in the word the character at ``position`` of the whole stands, or the next one that is in it."""
        length = 0
        for piece, begin in zip(self._buffer, self._positions, strict=True):
            if position < begin + len(piece):
                return length + max(position - begin, 0)
            length += len(piece)
        return length

    def _break(self, letter: str, position: int) -> None:
        written = "".join(self._buffer)
        if letter == ">" and written.isascii() and written.isdigit():
            self._got = False  # the number of a stream, as in `2>`
        self._finish(position)
        self.cut = self.source.place(position)

    def _check_closed(self) -> None:
        opened = {
            "double quote": self._double,
            "single quote": self._single,
            "backtick": self._back,
            "bracket `$(`": self._dollar,
        }
        for name, position in opened.items():
            if position >= 0:
                self._fail(position, f"a {name} is opened and never closed")
                return

    def _fail(self, position: int, found: str) -> None:
        around = excerpt(self.source.text[max(position - 20, 0) : position + 30], 50)
        self.problem = Problem(
            "invalid-command",
            self.source.place(position),
            f"Compose cannot split this command into words: {found} (near `{around}`)",
            "Close it, or write the command as a list.",
        )
