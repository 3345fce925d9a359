"""Compose's variable syntax over text that keeps its places (compose-go 2.16, template/template.go)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.excerpt import excerpt
from pytest_qwen_mtp.profiles.model import Problem
from pytest_qwen_mtp.profiles.text import Anchor, Given, Reference, SourceText

DEPTH_LIMIT = 100
"""References inside defaults of references. Deeper ones are a problem, not a crash."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable holds, who gave it, and where."""

    text: str
    given: Given
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """One reference as written: what could be set from outside, and what stands there when it is not.

    ``operator`` is empty for a bare ``$A``/``${A}``, else one of ``:-``, ``-``, ``:+``, ``+``, ``:?``, ``?``;
    ``operand`` is the text behind it as written: the default, the alternate, or the message.
    """

    name: str
    place: Place
    operator: str
    operand: str
    given: Given


Lookup = Callable[[str], Value | None]
"""The value of a variable, or None where nothing sets it."""


@dataclass(frozen=True, slots=True)
class Interpolated:
    """The text after interpolation, every reference that was met, and what is wrong with them."""

    text: SourceText
    variables: tuple[Variable, ...] = ()
    problems: tuple[Problem, ...] = ()


_NAME = "[_a-zA-Z\u017f\u212a][_a-zA-Z0-9\u017f\u212a]*"  # Go folds case by Unicode here
_REFERENCE = re.compile(
    rf"\$(?:(?P<escaped>\$)|(?P<named>{_NAME})|\{{(?:(?P<name>{_NAME})(?:\}}|(?P<operator>:?[-+?]))|(?P<invalid>)))"
)
GROWTH_LIMIT = 1_000_000
"""Characters that variables may add to one text: values that refer to values can double with every line."""
_PROBLEM_LIMIT = 10
"""Problems told of one text; Compose itself stops at the first."""


def interpolate(source: SourceText, lookup: Lookup) -> Interpolated:
    """``source`` with every reference replaced as Compose does it.

    The text of a default keeps its own places; a value from elsewhere stands at the place of its reference. A
    required variable without a value stays as ``${NAME}``, a form that Compose refuses stays as written; both are
    ``Given.UNKNOWN`` and a problem.
    """
    if "$" not in source.text:
        return Interpolated(source)
    if "$" not in source.text.replace("$$", ""):
        return Interpolated(_undouble(source))
    work = _Work(source, lookup)
    work.run(0, len(source.text), 0)
    return Interpolated(work.result(), tuple(work.variables), tuple(work.problems[:_PROBLEM_LIMIT]))


def _undouble(source: SourceText) -> SourceText:
    """``$$`` as ``$``: all that there is to do in most scripts, which are the longest texts."""
    text, given = source.text, source.anchors
    anchors: list[Anchor] = []
    index = removed = 0
    position = text.find("$$")
    while position != -1:
        while index < len(given) and given[index].offset <= position + 1:
            each = given[index]
            anchors.append(Anchor(each.offset - removed, each.line, each.column, each.step, each.path))
            index += 1
        removed += 1
        behind = position + 2
        if index == len(given) or given[index].offset != behind:
            last = given[index - 1]
            column = last.column + last.step * (behind - last.offset)
            anchors.append(Anchor(behind - removed, last.line, column, last.step, last.path))
        position = text.find("$$", behind)
    for each in given[index:]:
        anchors.append(Anchor(each.offset - removed, each.line, each.column, each.step, each.path))
    return SourceText(text.replace("$$", "$"), source.path, anchors, source.uses)


class _Work:
    """The output of one interpolation while it grows."""

    __slots__ = (
        "_anchor_offsets",
        "_grown",
        "_line",
        "anchors",
        "length",
        "lookup",
        "parts",
        "problems",
        "source",
        "uses",
        "variables",
    )

    def __init__(self, source: SourceText, lookup: Lookup) -> None:
        self.source = source
        self.lookup = lookup
        self.parts: list[str] = []
        self.length = 0
        self.anchors: list[Anchor] = []
        self.uses: list[tuple[int, int, Reference]] = []
        self.variables: list[Variable] = []
        self.problems: list[Problem] = []
        self._line = (0, -1)
        self._grown = 0
        self._anchor_offsets = [anchor.offset for anchor in source.anchors]

    def result(self) -> SourceText:
        uses = sorted(self.uses, key=lambda use: (use[0], -use[1]))
        return SourceText("".join(self.parts), self.source.path, self.anchors or self.source.anchors[:1], uses)

    def run(self, start: int, end: int, depth: int) -> None:
        """Appends ``source[start:end]``, interpolated."""
        text = self.source.text
        position = start
        while position < end:
            found = _REFERENCE.search(text, position, end)
            if found is None:
                break
            begin = found.start()
            if found["escaped"]:
                self.copy(position, begin + 1)
                position = found.end()
                continue
            self.copy(position, begin)
            position = self.reference(found, end, depth)
        self.copy(position, end)

    def reference(self, found: re.Match[str], end: int, depth: int) -> int:
        """Appends one reference of a text that ends at ``end``; where the reference ends in the source."""
        begin = found.start()
        if found["named"]:
            self.bare(found["named"], begin)
            return found.end()
        if found["name"] is not None and found["operator"] is None:
            self.bare(found["name"], begin)
            return found.end()
        last = -1
        if found["operator"] is not None:
            last = self.source.text.rfind("}", found.end(), min(end, self.line_end(begin)))
        if last == -1:
            self.invalid(begin, begin + 2)
            return begin + 2
        stop = _closing_brace(self.source.text, begin, last + 1)
        if depth > DEPTH_LIMIT:
            self.invalid(begin, stop)
        else:
            self.operation(found, stop - 1, depth)
        return stop

    def line_end(self, position: int) -> int:
        """Where the line of ``position`` ends: a reference with an operator must close on its own line."""
        if not self._line[0] <= position <= self._line[1]:
            stop = self.source.text.find("\n", position)
            self._line = (position, len(self.source.text) if stop == -1 else stop)
        return self._line[1]

    def operation(self, found: re.Match[str], stop: int, depth: int) -> None:
        """Appends a reference whose operand ends at ``stop``."""
        name, operator, begin = found["name"], found["operator"], found.start()
        operand = self.source.text[found.end() : stop]
        place = self.source.place(begin)
        value = self.lookup(name)
        filled = value is not None and (value.text != "" or ":" not in operator)
        start = self.length
        given, given_at = Given.DEFAULT, place
        if operator[-1] == "?" and not filled:
            self.required(name, operand, place)
            given = Given.UNKNOWN
        elif operator[-1] == "+":
            given = Given.ALTERNATE
            if filled:
                self.run(found.end(), stop, depth + 1)
            elif value is not None:
                self.fill(value.text, place)
        elif operator[-1] == "-" and not filled:
            self.run(found.end(), stop, depth + 1)
        elif value is not None:
            self.fill(value.text, place)
            given = value.given
        if value is not None and value.place is not None:
            given_at = value.place
        self.variables.append(Variable(name, place, operator, operand, given))
        self.uses.append((start, self.length, Reference(name, place, given, given_at)))

    def bare(self, name: str, begin: int) -> None:
        place = self.source.place(begin)
        value = self.lookup(name)
        start = self.length
        given = Given.UNSET if value is None else value.given
        if value is not None:
            self.fill(value.text, place)
        self.variables.append(Variable(name, place, "", "", given))
        self.uses.append((start, self.length, Reference(name, place, given, value.place if value else None)))

    def required(self, name: str, message: str, place: Place) -> None:
        self.fill(f"${{{name}}}", place)
        said = f": {excerpt(message)}" if message else ""
        self.problems.append(
            Problem(
                "required-variable",
                place,
                f"the required variable {name} has no value{said}",
                f"Set {name} in .env or in the environment.",
            )
        )

    def invalid(self, begin: int, stop: int) -> None:
        """A form that Compose refuses: kept as written, and told."""
        place = self.source.place(begin)
        start = self.length
        self.copy(begin, stop)
        line = self.source.text[begin : begin + 200].split("\n", 1)[0]
        written = line[: line.find("}") + 1] or line
        self.uses.append((start, self.length, Reference(written[2:-1] or written, place, Given.UNKNOWN)))
        self.problems.append(
            Problem(
                "invalid-interpolation",
                place,
                f"`{excerpt(written)}` is no variable that Compose can read; expected ${{NAME}}, or an operator of "
                ":-, -, :+, +, :?, ? behind the name, on one line",
                "Write $$ where a $ is meant for the container's shell.",
            )
        )

    def copy(self, start: int, end: int) -> None:
        """Appends ``source[start:end]`` as it stands, with its places."""
        if start >= end:
            return
        offsets, anchors, shift = self._anchor_offsets, self.source.anchors, self.length - start
        index = max(bisect_right(offsets, start) - 1, 0)
        anchor = anchors[index]
        column = anchor.column + anchor.step * (start - anchor.offset)
        self.anchors.append(Anchor(self.length, anchor.line, column, anchor.step, anchor.path))
        index += 1
        while index < len(offsets) and offsets[index] < end:
            anchor = anchors[index]
            self.anchors.append(Anchor(anchor.offset + shift, anchor.line, anchor.column, anchor.step, anchor.path))
            index += 1
        self.parts.append(self.source.text[start:end])
        self.length += end - start

    def fill(self, text: str, place: Place) -> None:
        """Appends text that stands as a whole at ``place``."""
        self._grown += len(text)
        if self._grown > GROWTH_LIMIT:
            if not self.problems or self.problems[-1].kind != "invalid-interpolation":
                message = f"the variables of this text add more than {GROWTH_LIMIT:,} characters to it"
                self.problems.append(Problem("invalid-interpolation", place, message, "Shorten their values."))
        elif text:
            self.anchors.append(Anchor(self.length, place.line or 1, place.column or 1, 0))
            self.parts.append(text)
            self.length += len(text)


def _closing_brace(text: str, begin: int, end: int) -> int:
    """Behind the brace that closes the reference at ``begin``; ``end`` where no brace does.

    Compose counts braces and skips the character behind each opening one, whatever it is.
    """
    depth, position = 0, begin
    while position < end:
        letter = text[position]
        if letter == "}":
            depth -= 1
            if depth == 0:
                return position + 1
        elif letter == "{":
            depth += 1
            position += 1
        position += 1
    return end
