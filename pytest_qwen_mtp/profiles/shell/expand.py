"""From a word to its fields: parameters, substitutions, splitting and quote removal, as bash does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell import parameters
from pytest_qwen_mtp.profiles.shell.patterns import expand_braces
from pytest_qwen_mtp.profiles.shell.runs import Run
from pytest_qwen_mtp.profiles.shell.syntax import (
    Arithmetic,
    CommandSubstitution,
    Literal,
    Parameter,
    ProcessSubstitution,
    ShellWord,
)
from pytest_qwen_mtp.profiles.shell.values import Piece, Value, join

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.state import State


def fields(shell: State, word: ShellWord) -> list[Value]:
    """The fields of ``word`` after all expansions. An unset unquoted variable gives none."""
    if len(word.parts) == 1:
        only = word.parts[0]
        if isinstance(only, Literal) and (only.quoted or ("{" not in only.text and only.text[:1] != "~")):
            return [shell.literal(only.text, only.offset)]
    return [field for each in expand_braces(word) for field in _fields(shell, each)]


def text(shell: State, word: ShellWord) -> Value:
    """``word`` as one value, without splitting: an assignment's right side, a case word, a redirection target."""
    values: list[Value] = []
    border = False
    for run in expanded(shell, word):
        if run.value is None:
            border = True
            continue
        if border and values:
            values.append(join([values.pop(), run.value], " "))
        else:
            values.append(run.value)
        border = False
    return Value([piece for value in values for piece in value.pieces])


def pattern(shell: State, word: ShellWord) -> tuple[list[tuple[str, bool]], Value]:
    """``word`` as ``(text, quoted)`` runs for matching, and its plain value."""
    runs = [run for run in expanded(shell, word) if run.value is not None]
    value = Value([piece for run in runs if run.value for piece in run.value.pieces])
    return [(run.value.text, run.quoted) for run in runs if run.value is not None], value


def _fields(shell: State, word: ShellWord) -> Iterator[Value]:
    current: list[Piece] | None = None
    for run in expanded(shell, word):
        if run.value is None:
            if current is not None:
                yield Value(current)
                current = None
        elif not run.split:
            current = [*(current or ()), *run.value.pieces]
        else:
            if not run.value.text:
                shell.dropped.extend(run.value.references)
            for index, part in enumerate(_split(run.value, shell.field_separators())):
                if index or (part is None and current is not None):
                    if current is not None:
                        yield Value(current)
                    current = None
                if part is not None:
                    current = [*(current or ()), *part.pieces]
    if current is not None:
        yield Value(current)


def split_fields(value: Value, separators: str) -> Iterator[Value]:
    """The fields of ``value``, as an unquoted expansion gives them."""
    return (part for part in _split(value, separators) if part is not None)


def trimmed(value: Value, separators: str) -> Value:
    """``value`` without the blank separators at its ends, as ``read NAME`` keeps it."""
    blank = "".join(character for character in separators if character in " \t\n")
    start = len(value.text) - len(value.text.lstrip(blank)) if blank else 0
    end = len(value.text.rstrip(blank)) if blank else len(value.text)
    return value.cut(start, max(end, start))


def _split(value: Value, separators: str) -> Iterator[Value | None]:
    """The parts of ``value`` between field separators; None where the value begins or ends with one."""
    if not value.text:
        return
    certain: list[bool] = []
    for piece in value.pieces:
        certain.extend([piece.known] * len(piece.text))
    blank = {character for character in separators if character in " \t\n"}
    hard = set(separators) - blank
    whole = value.text
    position, size = 0, len(whole)

    def is_blank(at: int) -> bool:
        return certain[at] and whole[at] in blank

    while position < size and is_blank(position):
        position += 1
    if position:
        yield None
    while position < size:
        start = position
        while position < size and not (certain[position] and (whole[position] in blank or whole[position] in hard)):
            position += 1
        yield value.cut(start, position)
        if position >= size:
            return
        while position < size and is_blank(position):
            position += 1
        if position < size and certain[position] and whole[position] in hard:
            position += 1
            while position < size and is_blank(position):
                position += 1
        if position >= size:
            yield None


def expanded(shell: State, word: ShellWord) -> Iterator[Run]:
    """The runs of a word, in order."""
    for index, part in enumerate(word.parts):
        if shell.source.uses and not isinstance(part, (Literal, ProcessSubstitution)):
            reference = shell.foreign(part.offset, part.end)
            if reference is not None:
                yield Run(reference, part.quoted, not part.quoted)
                continue
        if isinstance(part, Literal):
            if index == 0 and not part.quoted and part.text.startswith("~"):
                yield from _tilde(shell, part)
            else:
                yield Run(shell.literal(part.text, part.offset), part.quoted)
        elif isinstance(part, Parameter):
            yield from parameters.runs(shell, part)
        elif isinstance(part, CommandSubstitution):
            yield Run(shell.substitute(part.body, part.offset, part.end), part.quoted, not part.quoted)
        elif isinstance(part, Arithmetic):
            yield Run(shell.arithmetic_value(part.expression, part.offset, part.end), part.quoted, not part.quoted)
        elif isinstance(part, ProcessSubstitution):
            yield Run(shell.process_substitution(part.body, part.offset, part.end), True)


def _tilde(shell: State, part: Literal) -> Iterator[Run]:
    name, slash, rest = part.text.partition("/")
    if name == "~":
        yield Run(shell.lookup_value("HOME", part.offset, part.offset + 1), True)
        yield Run(Value([Piece(slash + rest, shell.source, part.offset + 1)]))
    else:
        yield Run(Value([Piece(part.text, shell.source, part.offset)]))
