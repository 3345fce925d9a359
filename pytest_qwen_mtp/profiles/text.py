"""Text that remembers where each of its characters stands, and which variables filled it in."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pytest_qwen_mtp.findings import Place


class Given(StrEnum):
    """Who gave a variable its value."""

    FILE = "file"  # .env, env_file, an assignment, an ENV line
    ENVIRONMENT = "environment"  # the process environment, only with --mtp-env
    DEFAULT = "default"  # the fallback written in the reference itself, ${A:-b}
    ALTERNATE = "alternate"  # ${A:+b}
    UNSET = "unset"  # nothing gives it: the text is empty, as the reader of the file would have it
    UNKNOWN = "unknown"  # it cannot be known statically: the text keeps the reference as written


@dataclass(frozen=True, slots=True)
class Reference:
    """One use of a variable (or command substitution): its name, where it is used, who gave the value, and where."""

    name: str
    place: Place
    given: Given
    given_at: Place | None = None

    @property
    def resolved(self) -> bool:
        return self.given not in (Given.UNSET, Given.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Anchor:
    """From ``offset`` on the text stands at ``line``/``column`` (1-based).

    ``step`` 1: each further character is one column to the right. ``step`` 0: all characters up to the next
    anchor stand at that one place, because they were filled in there. ``path`` where it is another file's text.
    """

    offset: int
    line: int
    column: int
    step: int = 1
    path: str | None = None


class SourceText:
    """A string with a place for every character.

    ``uses`` are ``(start, end, Reference)`` ranges of the text that a variable filled in (``start == end`` where it
    gave nothing). Immutable by convention.
    """

    __slots__ = ("_offsets", "anchors", "path", "text", "uses")

    def __init__(
        self,
        text: str,
        path: str,
        anchors: Sequence[Anchor] = (Anchor(0, 1, 1),),
        uses: Iterable[tuple[int, int, Reference]] = (),
    ) -> None:
        self.text = text
        self.path = path
        self.anchors = tuple(anchors)
        self.uses = tuple(uses)
        self._offsets: list[int] | None = None

    @classmethod
    def of_file(cls, text: str, path: str, first_line: int = 1) -> SourceText:
        """The whole text of a file, or of a block of whole lines that begins at ``first_line``."""
        anchors = [Anchor(0, first_line, 1)]
        position, line = text.find("\n"), first_line
        while position != -1:
            line += 1
            anchors.append(Anchor(position + 1, line, 1))
            position = text.find("\n", position + 1)
        return cls(text, path, anchors)

    @classmethod
    def at(cls, text: str, place: Place, uses: Iterable[Reference] = ()) -> SourceText:
        """``text`` that stands as a whole at one place."""
        anchor = Anchor(0, place.line or 1, place.column or 1, 0)
        return cls(text, place.path, (anchor,), tuple((0, len(text), use) for use in uses))

    def place(self, offset: int) -> Place:
        """The place of the character at ``offset``."""
        if self._offsets is None:
            self._offsets = [anchor.offset for anchor in self.anchors]
        anchor = self.anchors[max(bisect_right(self._offsets, offset) - 1, 0)]
        column = anchor.column + anchor.step * max(offset - anchor.offset, 0)
        return Place(anchor.path or self.path, anchor.line, column)

    def anchors_of(self, start: int, end: int, shift: int) -> list[Anchor]:
        """The anchors of ``text[start:end]`` for a text in which it begins at ``shift``."""
        here = self.place(start)
        offsets = self._offsets or []
        first = bisect_right(offsets, start)
        inside = self.anchors[first : bisect_left(offsets, end, first)]
        step = self.anchors[first - 1].step if first else 1
        found = [Anchor(shift, here.line or 1, here.column or 1, step, here.path)]
        for each in inside:
            place = Anchor(each.offset - start + shift, each.line, each.column, each.step, each.path or self.path)
            found.append(place)
        return found

    @classmethod
    def of_pieces(cls, pieces: Sequence[tuple[str, SourceText, int, tuple[Reference, ...]]]) -> SourceText:
        """One text from pieces of others: ``(text, source, offset in it, references)``; at least one."""
        anchors: list[Anchor] = []
        uses: list[tuple[int, int, Reference]] = []
        position = 0
        for text, source, offset, references in pieces:
            if text:
                anchors.extend(source.anchors_of(offset, offset + len(text), position))
            uses.extend((position, position + len(text), reference) for reference in references)
            position += len(text)
        path = pieces[0][1].path if pieces else ""
        return cls("".join(text for text, *_ in pieces), path, anchors or (Anchor(0, 1, 1),), uses)

    def joined(self, other: SourceText) -> SourceText:
        """This text with ``other`` behind it."""
        return SourceText.of_pieces([(each.text, each, 0, ()) for each in (self, other)])

    def references(self, start: int = 0, end: int | None = None) -> tuple[Reference, ...]:
        """The references that filled in part of ``text[start:end]``, empty ones inside it or at its ends included."""
        stop = len(self.text) if end is None else end
        return tuple(
            use
            for first, last, use in self.uses
            if (first < stop and last > start) or (first == last and start <= first <= stop)
        )

    def __str__(self) -> str:
        return self.text
