"""What the gate says: a finding, how bad it is, how sure we are, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any


class Severity(IntEnum):
    """How bad it is for the user's server. Ordered: ``Severity.LOW < Severity.CRITICAL``."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def parse(cls, text: str) -> Severity:
        """The severity named by ``text`` (any case). Raises ``ValueError`` with the four names."""
        try:
            return cls[text.strip().upper()]
        except KeyError:
            names = ", ".join(str(each) for each in cls)
            raise ValueError(f"unknown severity {text!r}; expected one of {names}") from None


class Certainty(StrEnum):
    """``definite``: every condition held. ``possible``: at least one is unknown, and ``why`` says which."""

    DEFINITE = "definite"
    POSSIBLE = "possible"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: path as given by the user, 1-based line and column (None: the whole file)."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)


@dataclass(frozen=True, slots=True)
class Reason:
    """One condition that held, or could not be decided, in words, with the place it was read from."""

    text: str
    holds: bool | None = True
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """The change to make: a sentence, and where it is a plain value, the setting and its new value."""

    text: str
    setting: str | None = None
    value: Any = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell about one file or one service of it.

    ``check`` names the item it belongs to (``profile``, ``command``, ``speculative``, ``known-bugs``,
    ``weights``). ``suppressed`` is None or ``{"reason": str, "until": str | None}``. ``evidence``: how sure the
    registry is of its entry; None for what a rule finds. ``in_baseline``: it was there when the gate was adopted.
    ``text`` is what stands at the place, which the baseline knows it by; empty where nobody asked.
    """

    rule: str
    severity: Severity
    certainty: Certainty
    place: Place
    message: str
    check: str
    service: str | None = None
    why: tuple[Reason, ...] = ()
    fix: Fix | None = None
    references: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    when: str | None = None
    suppressed: dict[str, str | None] | None = field(default=None)
    evidence: str | None = None
    in_baseline: bool = False
    text: str = ""
