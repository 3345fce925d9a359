"""References as links."""

from __future__ import annotations

import re

_UPSTREAM = re.compile(r"[\w.-]+/[\w.-]+#\d+")


def link(reference: str) -> str | None:
    """The address of a reference: ``owner/name#123`` is an issue or pull request on GitHub, an URL is itself.

    None for what is no address, such as a place in released source (``vllm 0.32.0, config/cache.py``).
    """
    if reference.startswith(("https://", "http://")):
        return reference
    if is_upstream(reference):
        repository, _, number = reference.partition("#")
        return f"https://github.com/{repository}/issues/{number}"
    return None


def is_upstream(reference: str) -> bool:
    """Whether a reference names an issue or pull request (``vllm-project/vllm#43559``)."""
    return _UPSTREAM.fullmatch(reference) is not None
