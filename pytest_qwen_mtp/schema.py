"""The JSON Schemas that ship with the package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_schema(name: str) -> dict[str, Any]:
    """The schema ``schemas/NAME.schema.json``: from the installed package, or from the checkout in development."""
    here = Path(__file__).parent
    for folder in (here / "_schemas", here.parent / "schemas"):
        path = folder / f"{name}.schema.json"
        if path.is_file():
            schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return schema
    raise FileNotFoundError(f"no schema named {name!r} ships with pytest-qwen-mtp")
