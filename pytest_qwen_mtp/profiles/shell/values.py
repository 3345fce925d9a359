"""Values of shell variables: text whose every piece knows where it was written and what it depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given, Reference, SourceText

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text from one place.

    ``inputs`` are the outside variables and parameters it depends on. ``known`` False: the text is a reference as
    written, standing for a value that cannot be known here; ``filled``: it is at least not empty; ``other``: it is
    assumed to be a value that the script does not mention.
    """

    text: str
    source: SourceText
    offset: int
    references: tuple[Reference, ...] = ()
    inputs: frozenset[str] = NOTHING
    known: bool = True
    filled: bool = False
    other: bool = False

    @property
    def place(self) -> Place:
        return self.source.place(self.offset)

    def cut(self, start: int, stop: int) -> Piece:
        whole = start == 0 and stop == len(self.text)
        return self if whole else replace(self, text=self.text[start:stop], offset=self.offset + start)


class Value:
    """A string made of pieces. Immutable by convention."""

    __slots__ = ("pieces", "text")

    def __init__(self, pieces: Iterable[Piece] = ()) -> None:
        self.pieces = tuple(pieces)
        one = len(self.pieces) == 1
        self.text = self.pieces[0].text if one else "".join([piece.text for piece in self.pieces])

    @property
    def known(self) -> bool:
        return all(piece.known for piece in self.pieces)

    @property
    def filled(self) -> bool:
        """Surely not empty."""
        return any(piece.filled or (piece.known and piece.text) for piece in self.pieces)

    @property
    def worth_keeping(self) -> bool:
        """Whether something is known of it, and what is not is a reference that can stand in a command."""
        return any(piece.known and piece.text.strip() for piece in self.pieces) and all(
            piece.known or piece.text[:1] in ("$", "`") for piece in self.pieces
        )

    @property
    def inputs(self) -> frozenset[str]:
        return frozenset().union(*(piece.inputs for piece in self.pieces))

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(dict.fromkeys(reference for piece in self.pieces for reference in piece.references))

    def place(self) -> Place | None:
        """Where the first written character stands; an empty value's own place where it has no character."""
        for piece in self.pieces:
            if piece.text:
                return piece.place
        return self.pieces[0].place if self.pieces else None

    def cut(self, start: int, stop: int | None = None) -> Value:
        """The characters from ``start`` up to ``stop``, with their places."""
        end = len(self.text) if stop is None else min(stop, len(self.text))
        out: list[Piece] = []
        position = 0
        for piece in self.pieces:
            first, last = max(start - position, 0), min(end - position, len(piece.text))
            if first < last or (not piece.text and start <= position <= end):
                out.append(piece.cut(first, max(last, first)) if piece.text else piece)
            position += len(piece.text)
        if not out and self.pieces:
            out.append(replace(self.pieces[0], text=""))
        return Value(out)

    def map(self, text: str) -> Value:
        """A value computed from this one: ``text`` at this value's first place, with all its dependencies."""
        if text == self.text:
            return self
        if not self.pieces:
            return self
        first = next((piece for piece in self.pieces if piece.text), self.pieces[0])
        source = SourceText.at(text, first.place)  # no character of it stands anywhere else
        return Value([Piece(text, source, 0, self.references, self.inputs, self.known, first.filled, first.other)])

    def word(self, fallback: Place) -> Word:
        place = self.pieces[0].place if len(self.pieces) == 1 else self.place() or fallback
        # Only what may be read again, as a shell text, needs the place of every character.
        source = self.source() if self.pieces and (" " in self.text or "\n" in self.text) else None
        return Word(self.text, place, self.references, source)

    def source(self) -> SourceText:
        """The value as a text of its own; there is at least one piece."""
        pieces = [(piece.text, piece.source, piece.offset, piece.references) for piece in self.pieces]
        return SourceText.of_pieces(pieces)


def join(values: Sequence[Value], separator: str) -> Value:
    """The values with ``separator`` between them, as ``"$*"`` gives."""
    pieces: list[Piece] = []
    for index, value in enumerate(values):
        if index and separator and pieces:
            pieces.append(replace(pieces[-1], text=separator, references=(), inputs=NOTHING, known=True))
        pieces.extend(value.pieces)
    return Value(pieces)


def lines_of(value: Value) -> list[Value]:
    """The lines of ``value``; a last line end opens no further line."""
    found: list[Value] = []
    start, text = 0, value.text
    while start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop == -1 else stop
        found.append(value.cut(start, stop))
        start = stop + 1
    return found


def text_of(lines: Sequence[Value]) -> SourceText:
    """The lines as one text; at least one line."""
    pieces = [piece for line in lines for piece in (*line.pieces, *_line_end(line))]
    return SourceText.of_pieces([(piece.text, piece.source, piece.offset, piece.references) for piece in pieces])


def _line_end(line: Value) -> tuple[Piece, ...]:
    last = line.pieces[-1:]
    return tuple(replace(piece, text="\n", offset=piece.offset + len(piece.text), references=()) for piece in last)


def unknown(
    reference: str,
    name: str,
    source: SourceText,
    offset: int,
    inputs: frozenset[str] = NOTHING,
    filled: bool = False,
    other: bool = False,
) -> Value:
    """A value that cannot be known here: the text is ``reference``, and ``name`` is what has no value."""
    use = Reference(name, source.place(offset), Given.UNKNOWN)
    return Value([Piece(reference, source, offset, (use,), inputs, known=False, filled=filled, other=other)])


def of_word(word: Word, inputs: frozenset[str] = NOTHING) -> Value:
    """The value of a word from outside the script. Its unresolvable parts make it unknown."""
    known = all(reference.given is not Given.UNKNOWN for reference in word.references)
    source = word.source or SourceText.at(word.text, word.place)
    return Value([Piece(word.text, source, 0, word.references, inputs, known)])


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: one value, or ``elements`` by index (text keys for an associative array)."""

    value: Value | None = None
    elements: dict[int | str, Value] | None = None
    associative: bool = False
    exported: bool = False
    integer: bool = False
    change: str | None = None
    """``l`` or ``u`` of ``declare``: the value is kept in lower or upper case."""
    stands_for: str | None = None
    """The name that a ``declare -n`` variable stands for."""

    def scalar(self) -> Value | None:
        if self.elements is None:
            return self.value
        return self.elements.get("0" if self.associative else 0)

    def element(self, key: int | str) -> Value | None:
        """One element; the value itself is the first of a variable that is no array."""
        return self.elements.get(key) if self.elements is not None else self.value if key == 0 else None

    def keys(self) -> list[int | str]:
        """The indices, in the order in which bash gives them (insertion for an associative array)."""
        keys = list(self.elements if self.elements is not None else () if self.value is None else (0,))
        return keys if self.associative else sorted(keys, key=int)

    def all(self) -> list[Value]:
        if self.elements is None:
            return [] if self.value is None else [self.value]
        return [self.elements[key] for key in self.keys()]
