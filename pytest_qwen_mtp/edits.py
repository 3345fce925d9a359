"""Changing words at their places in a file's text, in the form in which they stand there.

Every edit is a proposal: whether the file then says what it should is for the caller to read again. Nothing here knows
what the words mean; other characters of the text are never touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.scalars import resolve_plain
from pytest_qwen_mtp.profiles.yamltree import Unreadable, parse_yaml

SAFE = re.compile(r"[\w./=+:@-]+")
"""A word that means itself in every quoting: in YAML, in Compose's splitter, and in a shell."""
_SLASHES = re.compile(r"\\*")
_SPACE = re.compile(r"\s*")
_PLAIN_ITEM = re.compile(r"(?:--?)?[A-Za-z][\w./=+-]*")


@dataclass(frozen=True, slots=True)
class Edit:
    """The characters from ``start`` to ``end`` become ``text``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """One scalar with the collection that holds it, and its position there; of a mapping it is key or value."""

    parent: SequenceNode | MappingNode
    position: int
    node: ScalarNode


class Document:
    """The text of one file, and its YAML nodes where it is YAML. ``newline`` is how its lines end."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path.resolve()
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.is_yaml = path.suffix in (".yaml", ".yml")
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.roots: tuple[Node, ...] = ()
        if self.is_yaml:
            try:
                self.roots = parse_yaml(text, str(path)).roots
            except Unreadable:
                self.is_yaml = False

    def offset(self, place: Place | None) -> int | None:
        """Where ``place`` is in the text; None where it is another file's, or no place of this one."""
        if place is None or place.line is None or place.line > len(self._starts):
            return None
        if Path(place.path).resolve() != self.path:
            return None
        return min(self._starts[place.line - 1] + (place.column or 1) - 1, len(self.text))

    def line(self, offset: int) -> tuple[int, int]:
        """Beginning and end of the line around ``offset``, the end without its newline."""
        start = self.text.rfind("\n", 0, offset) + 1
        stop = self.text.find("\n", offset)
        stop = len(self.text) if stop < 0 else stop
        return start, stop - 1 if stop > start and self.text[stop - 1] == "\r" else stop

    def after_line(self, offset: int) -> int:
        """The beginning of the line behind the one around ``offset``."""
        stop = self.text.find("\n", offset)
        return len(self.text) if stop < 0 else stop + 1

    def in_default(self, offset: int) -> bool:
        """Whether ``offset`` lies inside ``${…}``: what stands there counts only while the variable has no value."""
        depth = 0
        for mark in re.finditer(r"\$\{|\}", self.text[self.line(offset)[0] : offset]):
            depth = depth + 1 if mark[0] == "${" else max(depth - 1, 0)
        return depth > 0

    def item(self, offset: int) -> Item | None:
        """The innermost scalar around ``offset``."""
        for root in self.roots:
            node: Node = root
            found: Item | None = None
            while not isinstance(node, ScalarNode):
                parent = node
                children = (
                    [part for pair in node.value for part in pair] if isinstance(node, MappingNode) else node.value
                )
                inside = (each for each in enumerate(children) if _around(each[1], offset))
                position, child = next(inside, (0, None))
                if child is None or not isinstance(parent, (SequenceNode, MappingNode)):
                    break
                node = child
                if isinstance(node, ScalarNode):
                    found = Item(parent, position, node)
            if found is not None:
                return found
        return None

    def item_of(self, word: Word) -> Item | None:
        """The list item that is this word and nothing else; None where the word is part of a longer string."""
        offset = self.offset(word.place)
        item = None if offset is None else self.item(offset)
        if item is None or not isinstance(item.parent, SequenceNode):
            return None
        return item if item.node.value.replace("$$", "$") == word.text else None


def _around(node: Node, offset: int) -> bool:
    return bool(node.start_mark.index <= offset < node.end_mark.index or offset == node.start_mark.index)


def apply(document: Document, edits: Sequence[Edit]) -> str | None:
    """The text after ``edits``; None where two of them overlap, or one changes a variable's default."""
    text = document.text
    ordered = sorted(set(edits), key=lambda each: (each.start, each.end))
    if any(one.end > other.start for one, other in pairwise(ordered)):
        return None
    if any(document.in_default(each.start) for each in ordered):
        return None
    for each in reversed(ordered):
        text = text[: each.start] + each.text + text[each.end :]
    return text


# -- where the characters of a word stand


@dataclass(frozen=True, slots=True)
class Trace:
    """``begins``: where each character of the word is written, its backslashes included, as far as the text says the
    same as the word; ``ends``: where each is over. ``start`` to ``stop`` is all of it with the quotes around; ``stop``
    None where the text does not say it to the end."""

    begins: tuple[int, ...]
    ends: tuple[int, ...]
    start: int
    stop: int | None


def trace(document: Document, word: Word) -> Trace | None:
    """The characters of ``word`` in the text. None where another file holds it."""
    start = document.offset(word.place)
    if start is None:
        return None
    text, position = document.text, start
    begins: list[int] = []
    ends: list[int] = []
    quotes: list[str] = []
    for letter in word.text:
        step = _find(document, letter, position, quotes)
        if step is None:
            return Trace(tuple(begins), tuple(ends), start, None)
        begins.append(step[0])
        ends.append(step[1])
        position = step[1]
    while quotes:
        quote = quotes.pop()
        if not text.startswith(quote, position):
            return Trace(tuple(begins), tuple(ends), start, None)
        position += len(quote)
    before = re.search(r"\\*[\"']$", text[max(start - 4, 0) : start])
    if before is not None and text.startswith(before[0], position):  # the place is the one behind the quote
        return Trace(tuple(begins), tuple(ends), start - len(before[0]), position + len(before[0]))
    return Trace(tuple(begins), tuple(ends), start, position)


def _find(document: Document, letter: str, position: int, quotes: list[str]) -> tuple[int, int] | None:
    """Where ``letter`` stands next: quotes and backslashes may come before it, and nothing else."""
    text = document.text
    while position < len(text):
        here = text[position]
        slashes = _end_of(_SLASHES, text, position) - position
        following = text[position + slashes : position + slashes + 1]
        if following == letter and (letter != "\\" or not slashes):
            twice = (letter == "'" or (letter == "$" and document.is_yaml)) and not slashes
            double = twice and text.startswith(letter * 2, position)
            return position, position + slashes + 1 + double
        if letter.isspace() and here.isspace():
            return position, _end_of(_SPACE, text, position)
        if following in ("'", '"'):
            token = text[position : position + slashes + 1]
            if quotes and quotes[-1] == token:
                quotes.pop()
            else:
                quotes.append(token)
            position += slashes + 1
        elif slashes and following in ("\n", "\r"):
            position += slashes + 1
        else:
            return None
    return None


def _end_of(run: re.Pattern[str], text: str, position: int) -> int:
    found = run.match(text, position)
    return position if found is None else found.end()


# -- the three changes


def replace_word(document: Document, word: Word, new: str) -> Edit | None:
    """``word`` becomes ``new``, by as few characters as can be. None where what changes is not written at the place."""
    old = word.text
    head = next((index for index, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - head
    tail = next((index for index in range(most) if old[-1 - index] != new[-1 - index]), most)
    found = trace(document, word)
    stop = len(old) - tail
    if found is None or len(found.begins) < stop or not old:
        return None
    if stop == len(old) and found.stop is None:
        return None  # something that a variable gives may follow
    piece = _written(document, found, old, new[head : len(new) - tail])
    if piece is None:
        return None
    if head == stop:  # nothing goes, something comes
        at = found.begins[head] if head < len(found.begins) else found.ends[head - 1]
        return Edit(at, at, piece)
    return Edit(found.begins[head], found.ends[stop - 1], piece)


def _written(document: Document, found: Trace, old: str, piece: str) -> str | None:
    """``piece`` with double quotes as the word has them; None where it holds what the place may not bear."""
    if any(letter not in old and not re.fullmatch(r"[\w./-]", letter) for letter in piece):
        return None
    if '"' not in piece:
        return piece
    first = old.index('"')
    if first >= len(found.begins):
        return None
    return piece.replace('"', document.text[found.begins[first] : found.ends[first]])


def remove_words(document: Document, words: Sequence[Word]) -> list[Edit] | None:
    """The edits that take ``words`` (neighbours in one command) out, with the lines that hold nothing else."""
    items = [document.item_of(word) for word in words]
    found = [item for item in items if item is not None]
    if len(found) == len(words):
        return _remove_items(document, found)
    if found:
        return None
    spans: list[tuple[int, int]] = []
    for word in words:
        traced = trace(document, word)
        if traced is None or traced.stop is None:
            return None
        if spans and not document.text[spans[-1][1] : traced.start].strip(" \t\r\n\\"):
            spans[-1] = (spans[-1][0], traced.stop)
        else:
            spans.append((traced.start, traced.stop))
    return [edit for start, stop in spans for edit in _remove_span(document, start, stop)]


def _remove_items(document: Document, items: Sequence[Item]) -> list[Edit] | None:
    parent = items[0].parent
    if any(item.parent is not parent for item in items) or len(items) >= len(parent.value):
        return None
    if not parent.flow_style:
        return [Edit(document.line(item.node.start_mark.index)[0], _behind(document, item.node), "") for item in items]
    first, last = items[0].position, items[-1].position
    if last + 1 < len(parent.value):
        return [Edit(items[0].node.start_mark.index, parent.value[last + 1].start_mark.index, "")]
    return [Edit(parent.value[first - 1].end_mark.index, items[-1].node.end_mark.index, "")]


def _behind(document: Document, node: Node) -> int:
    """The beginning of the line behind a node of a block collection. A block scalar ends where a line begins."""
    end: int = node.end_mark.index
    if end and document.text[end - 1] == "\n" and node.end_mark.line > node.start_mark.line:
        return end
    return document.after_line(end)


def _remove_span(document: Document, start: int, stop: int) -> list[Edit]:
    text = document.text
    begin, end = document.line(start)[0], document.line(stop)[1]
    ahead, rest = text[begin:start], text[stop:end].strip()
    if not ahead.strip() and rest in ("", "\\"):
        edits = [Edit(begin, document.after_line(stop), "")]
        above = re.search(r"[ \t]*\\\r?\n$", text[:begin])
        if rest == "" and above is not None:  # the last line of a command: the one above it ends it now
            edits.append(Edit(above.start(), above.start() + len(above[0].rstrip("\r\n")), ""))
        return edits
    blank = len(ahead) - len(ahead.rstrip(" \t"))
    if blank and ahead.strip():
        return [Edit(start - blank, stop, "")]
    behind = len(text[stop:end]) - len(text[stop:end].lstrip(" \t"))
    return [Edit(start, stop + behind, "")]


def add_behind(document: Document, words: Sequence[Word], start: int, stop: int, new: Sequence[str]) -> Iterator[Edit]:
    """Ways to write ``new`` behind the option that is ``words[start:stop]``, the one in the form of the place first."""
    last = words[stop - 1]
    item = document.item_of(last)
    if item is not None:
        yield _new_items(document, item, new)
        return
    found = trace(document, last)
    if found is None or found.stop is None or not all(SAFE.fullmatch(each) for each in new):
        return
    text, line, at = document.text, " ".join(new), found.stop
    option = document.offset(words[start].place)
    rest = text[at : document.line(at)[1]].strip()
    if option is not None and option <= at and rest in ("", "\\"):
        begin = document.line(option)[0]
        margin = re.match(r"[ \t]*", text[begin:option])
        if margin is not None and begin + margin.end() == option and margin[0]:
            continued = re.search(r"\\\r?\n$", text[:begin]) is not None
            if rest == "\\":
                behind = document.after_line(at)
                yield Edit(behind, behind, f"{margin[0]}{line} \\{document.newline}")
            else:
                yield Edit(at, at, f"{' ' + chr(92) if continued else ''}{document.newline}{margin[0]}{line}")
    yield Edit(at, at, f" {line}")


def add_before(document: Document, word: Word, new: Sequence[str]) -> Iterator[Edit]:
    """Ways to write ``new`` in front of ``word``, which is an option."""
    item = document.item_of(word)
    if item is not None and isinstance(item.parent, SequenceNode):
        texts = [_item_text(each, item.node.style) for each in new]
        if item.parent.flow_style:
            at = item.node.start_mark.index
            yield Edit(at, at, "".join(f"{each}, " for each in texts))
            return
        at = document.line(item.node.start_mark.index)[0]
        margin = " " * item.parent.start_mark.column
        yield Edit(at, at, "".join(f"{margin}- {each}{document.newline}" for each in texts))
        return
    found = trace(document, word)
    if found is None or not found.begins or not all(SAFE.fullmatch(each) for each in new):
        return
    begin = document.line(found.start)[0]
    margin = document.text[begin : found.start]
    if not margin.strip() and margin and re.search(r"\\\r?\n$", document.text[:begin]):
        yield Edit(found.start, found.start, f"{' '.join(new)} \\{document.newline}{margin}")
    yield Edit(found.start, found.start, f"{' '.join(new)} ")


def _new_items(document: Document, item: Item, new: Sequence[str]) -> Edit:
    texts = [_item_text(each, item.node.style) for each in new]
    if item.parent.flow_style:
        at = item.node.end_mark.index
        return Edit(at, at, "".join(f", {each}" for each in texts))
    return new_lines(document, item.node, [f"- {each}" for each in texts], item.parent.start_mark.column)


def new_lines(document: Document, node: Node, lines: Sequence[str], column: int) -> Edit:
    """Lines of a block collection behind the line on which ``node`` ends."""
    at = _behind(document, node)
    text = "".join(f"{' ' * column}{each}{document.newline}" for each in lines)
    if at and document.text[at - 1] != "\n":  # the file's last line has no end
        text = document.newline + text.removesuffix(document.newline)
    return Edit(at, at, text)


def _item_text(text: str, style: str | None) -> str:
    """``text`` as a YAML string, quoted like its neighbour where it has quotes, and wherever it must be."""
    if style == "'" and "'" not in text:
        return f"'{text}'"
    plain = _PLAIN_ITEM.fullmatch(text) is not None and isinstance(resolve_plain(text), str)
    if style != '"' and plain and text.lower() not in ("yes", "no", "on", "off", "y", "n"):
        return text
    return json.dumps(text, ensure_ascii=False)


def scalar_edit(document: Document, node: ScalarNode, value: object) -> Edit | None:
    """The scalar becomes ``value``, a plain JSON value, in quotes where it has quotes. None for a block scalar."""
    if node.style in ("|", ">"):
        return None
    written = document.text[node.start_mark.index : node.end_mark.index]
    if written[:1] in "&!*":
        return None
    text = _item_text(value, node.style) if isinstance(value, str) else json.dumps(value)
    if node.style in ("'", '"') and not isinstance(value, str):
        text = f"{node.style}{text}{node.style}"
    return Edit(node.start_mark.index, node.end_mark.index, text)
