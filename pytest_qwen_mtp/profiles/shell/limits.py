"""How far a script is followed."""

from __future__ import annotations

MAX_TEXT = 100_000
"""Characters of one value."""
MAX_ELEMENTS = 5_000
"""Elements of one array."""


class TooLong(Exception):
    """The script does more than a launcher would; the message says what."""
