"""Where each character of a YAML scalar stands in its file, for every style in which a scalar can be written."""

from __future__ import annotations

import re

from yaml.nodes import ScalarNode

from pytest_qwen_mtp.profiles.text import Anchor, SourceText
from pytest_qwen_mtp.profiles.yamltree import Tree

_PROPERTY = re.compile(r"(?:[&!][^\s]*(?:[ \t]+|(?=\r?\n)|$)|#[^\n]*|[ \t\r\n]+)")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}


def scalar_text(tree: Tree, node: ScalarNode) -> SourceText:
    """The value of ``node`` with the place of each character.

    Where the written form cannot be matched with the value, the whole text stands at the node's beginning.
    """
    mark = node.start_mark
    start, end = mark.index, node.end_mark.index
    line, column = mark.line, mark.column
    text, value = tree.text, node.value
    if start < end and text[start] in "&!":
        start = _after_properties(text, start, end)
        line += text.count("\n", mark.index, start)
        column = start - (text.rfind("\n", 0, start) + 1)
    quote = 1 if node.style in ("'", '"') else 0
    written = text[start + quote : end - quote]
    if written == value and "\n" not in value:
        return SourceText(value, tree.path, (Anchor(0, line + 1, column + 1 + quote),))
    if node.style == "|" and (literal := _literal(text, start, value, line)):
        return SourceText(value, tree.path, literal)
    if node.style in ("|", ">"):
        segments = _block(text, start, end, value)
    else:
        segments = _flow(text, start + quote, end - quote, node.style or "")
    built = "".join(piece for piece, _ in segments)
    if built != value:
        return SourceText(value, tree.path, (Anchor(0, line + 1, column + 1, 0),))
    return SourceText(value, tree.path, _anchors(segments, text, start, line, column))


def _after_properties(text: str, start: int, end: int) -> int:
    """Where the scalar itself begins behind its anchor and tag."""
    while start < end and (text[start] in "&!" or text[start].isspace() or text[start] == "#"):
        found = _PROPERTY.match(text, start, end)
        if found is None or found.end() == start:
            break
        start = found.end()
    return start


def _anchors(segments: list[tuple[str, int]], text: str, start: int, line: int, column: int) -> tuple[Anchor, ...]:
    """One anchor a segment. ``line`` and ``column`` (0-based) are those of the character at ``start``."""
    anchors = []
    offset, seen = 0, start
    begin = start - column
    for piece, source in segments:
        breaks = text.count("\n", seen, source)
        if breaks:
            line += breaks
            begin = text.rfind("\n", 0, source) + 1
        seen = source
        anchors.append(Anchor(offset, line + 1, source - begin + 1))
        offset += len(piece)
    return tuple(anchors) or (Anchor(0, line + 1, column + 1),)


def _flow(text: str, start: int, end: int, style: str) -> list[tuple[str, int]]:
    """Segments ``(piece of the value, where it is written)`` of a plain or quoted scalar, folded by YAML's rules."""
    segments: list[tuple[str, int]] = []
    position, first, blank, joined, pending = start, True, 0, False, start
    while True:
        stop = text.find("\n", position, end)
        last = stop == -1
        stop = end if last else stop
        begin = position
        if not first:
            while begin < stop and text[begin] in " \t":
                begin += 1
        finish = stop
        if not last:
            if finish > begin and text[finish - 1] == "\r":
                finish -= 1
            finish = _trim(text, begin, finish, style)
        continued = style == '"' and not last and _ends_escaped(text, begin, finish)
        if begin < finish or last or first or continued:
            if not first:
                filler = "\n" * blank if blank else ("" if joined else " ")
                if filler:
                    segments.append((filler, pending))
            segments.extend(_pieces(text, begin, finish - continued, style))
            blank, joined, pending = 0, continued, stop
        else:
            blank += 1
        if last:
            return segments
        first, position = False, stop + 1


def _trim(text: str, begin: int, finish: int, style: str) -> int:
    kept = finish
    while kept > begin and text[kept - 1] in " \t":
        kept -= 1
    escaped = style == '"' and kept < finish and _ends_escaped(text, begin, kept)
    return kept + 1 if escaped else kept


def _ends_escaped(text: str, begin: int, finish: int) -> bool:
    count = 0
    while finish - count > begin and text[finish - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def _pieces(text: str, begin: int, finish: int, style: str) -> list[tuple[str, int]]:
    """The segments of one line: runs that stand as written, and escapes."""
    if style == "'":
        pieces = []
        while (quote := text.find("''", begin, finish)) != -1:
            pieces.append((text[begin : quote + 1], begin))
            begin = quote + 2
        return [*pieces, (text[begin:finish], begin)] if begin < finish else pieces
    if style != '"':
        return [(text[begin:finish], begin)] if begin < finish else []
    pieces = []
    while (slash := text.find("\\", begin, finish)) != -1 and slash + 1 < finish:
        if slash > begin:
            pieces.append((text[begin:slash], begin))
        letter = text[slash + 1]
        length = _HEX.get(letter, 0)
        digits = text[slash + 2 : slash + 2 + length]
        if length and re.fullmatch("[0-9a-fA-F]+", digits) and int(digits, 16) < 0x110000:
            pieces.append((chr(int(digits, 16)), slash))
        else:
            pieces.append((_ESCAPES.get(letter, letter), slash))
        begin = slash + 2 + length
    return [*pieces, (text[begin:finish], begin)] if begin < finish else pieces


def _literal(text: str, start: int, value: str, line: int) -> list[Anchor] | None:
    """One anchor a line of a literal scalar whose header stands on ``line`` (0-based); None if it is an odd one.

    Every launch script is such a scalar, so this is worth a way of its own.
    """
    begin = text.find("\n", start) + 1
    lines = value.rstrip("\n").split("\n")
    first = text[begin : text.find("\n", begin)]
    if not lines[0] or not first.endswith(lines[0]):
        return None
    indentation = len(first) - len(lines[0])
    margin = " " * indentation
    if not text.startswith("\n".join([margin + each if each else each for each in lines]), begin):
        return None
    anchors = []
    offset, column = 0, indentation + 1
    for each in lines:
        line += 1
        anchors.append(Anchor(offset, line + 1, column))
        offset += len(each) + 1
    return anchors


def _block(text: str, start: int, end: int, value: str) -> list[tuple[str, int]]:
    """Segments of a literal or folded scalar, found by laying its lines over the value."""
    position = text.find("\n", start, end)
    if position == -1:
        return [(value, end)] if not value.strip("\n") else []
    content = value.lstrip("\n")
    deep = len(content) - len(content.lstrip(" "))
    indentation: int | None = None
    segments: list[tuple[str, int]] = []
    offset = 0
    while position != -1 and position + 1 <= end and offset < len(value):
        begin = position + 1
        position = text.find("\n", begin, end)
        stop = end if position == -1 else position
        if stop > begin and text[stop - 1] == "\r":
            stop -= 1
        line = text[begin:stop]
        if indentation is None and line.strip(" "):
            indentation = len(line) - len(line.lstrip(" ")) - deep
        if indentation is None or len(line) <= indentation:
            piece = "\n" if value.startswith("\n", offset) else ""
            written = stop
        else:
            written = begin + indentation
            piece = line[indentation:]
            if not value.startswith(piece, offset) and value[offset : offset + 1] in ("\n", " "):
                gap = _gap(value, offset)
                segments.append((value[offset:gap], written))
                offset = gap
            if not value.startswith(piece, offset):
                return []
            following = value[offset + len(piece) : offset + len(piece) + 1]
            if following == "\n" or (following == " " and text[start] == ">"):
                piece += following
        segments.append((piece, written))
        offset += len(piece)
    if offset < len(value):
        segments.append((value[offset:], min(end, len(text))))
    return segments


def _gap(value: str, offset: int) -> int:
    while value[offset : offset + 1] == "\n":
        offset += 1
    return offset
