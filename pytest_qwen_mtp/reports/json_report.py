"""The JSON report (``schemas/report.schema.json``)."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_qwen_mtp.registry.load import Registry
    from pytest_qwen_mtp.reports.tally import Tally

SCHEMA = "pytest-qwen-mtp/report/1"


def report(tally: Tally, registry: Registry) -> dict[str, Any]:
    """The report as plain JSON values, in an order that does not depend on who ran what."""
    return {
        "schema": SCHEMA,
        "registry": {
            "entries": len(registry.entries),
            "date": str(registry.date),
            "silenced": [{"id": each.id, "reason": each.reason} for each in registry.silenced],
        },
        "profiles": [tally.entries[node] for node in sorted(tally.entries)],
        "findings": [tally.findings[key] for key in sorted(tally.findings, key=_finding_key)],
        "live": [],
        "not_seen": [tally.not_seen[key] for key in sorted(tally.not_seen, key=repr)],
    }


def _finding_key(key: tuple[Any, ...]) -> tuple[Any, ...]:
    path, node, rule, line, column, when = key
    return path, line or 0, column or 0, node, rule, when or ""


def write(path: Path, value: dict[str, Any]) -> None:
    """Write ``value`` to ``path`` in one step: a reader sees the old file or the new one. Raises ``OSError``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            json.dump(value, file, ensure_ascii=False, indent=1)
            file.write("\n")
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
