"""A piece of a file's text, short enough for a message."""

from __future__ import annotations


def excerpt(text: str, limit: int = 80) -> str:
    """``text`` on one line of at most ``limit`` characters."""
    flat = " ".join(text[: 8 * limit].split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
