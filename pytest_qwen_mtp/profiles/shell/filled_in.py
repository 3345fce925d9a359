"""Shell text that Compose has filled in: which of it hangs on a variable that Compose, not the shell, reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_qwen_mtp.profiles.shell.values import NOTHING, Piece, Value
from pytest_qwen_mtp.profiles.text import Given

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.state import State

COMPOSE: Final = "compose:"
"""In front of the name of a variable that Compose reads."""
SWITCHABLE: Final = (Given.DEFAULT, Given.UNSET)


def literal(shell: State, text: str, offset: int, known: bool) -> Value:
    """``text`` of the script in pieces: each part that Compose filled in depends on its variable.

    Where this run assumes another value of such a variable, that one stands in its place.
    """
    source, end = shell.source, offset + len(text)
    uses = [use for use in source.uses if use[2].given in SWITCHABLE and offset <= use[0] and use[1] <= end]
    pieces: list[Piece] = []
    position = offset
    for start, stop, use in sorted(uses, key=lambda each: each[:2]):
        if start < position:
            continue
        name = COMPOSE + use.name
        if start > position:
            before = text[position - offset : start - offset]
            pieces.append(Piece(before, source, position, source.references(position, start), known=known))
        if name in shell.decisions.inputs:
            pieces.extend(shell.assumed(name, shell.decisions.inputs[name]).pieces)
        else:
            pieces.append(Piece(text[start - offset : stop - offset], source, start, (use,), frozenset([name])))
        position = stop
    if position < end or not pieces:
        rest = text[position - offset :]
        pieces.append(Piece(rest, source, position, source.references(position, end), NOTHING, known))
    return Value(pieces)
