"""What the fixtures of this folder give, and how their answers are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Ask = Callable[..., str]
"""(script, *arguments, lines=…) → what the script printed."""


def options_of(output: str) -> list[dict[str, Any]]:
    """The options that a parser script printed on its last line."""
    found: list[dict[str, Any]] = json.loads(output.strip().splitlines()[-1])
    return found
