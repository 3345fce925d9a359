"""The page about an id that is found by a reader, not by a rule of its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """The documentation of one kind of problem; the finding's own message says what was found and where."""

    id: str
    title: str
    what: str
    whom: str
    see: str
    change: str

    @property
    def doc(self) -> str:
        """The text under the four headings that every rule has."""
        parts = (
            ("What it is", self.what),
            ("Whom it hits", self.whom),
            ("How to see it", self.see),
            ("What to change", self.change),
        )
        return "\n".join(f"{heading}\n  {text}\n" for heading, text in parts)
