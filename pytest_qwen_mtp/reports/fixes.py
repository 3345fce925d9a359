"""Changes to a deployment file, for people and ``patch``, and as JSON: ``qwen-mtp fix``."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_qwen_mtp.findings import Finding
from pytest_qwen_mtp.fix import Change, Fixed
from pytest_qwen_mtp.reports.entries import finding_entry, place_entry, shown_path
from pytest_qwen_mtp.reports.failure import clean
from pytest_qwen_mtp.reports.secrets import hide_line

_CONTEXT = 3


def fix_lines(servers: Sequence[Fixed], root: Path) -> Iterator[str]:
    """What changes and why, each line behind ``#``: before a unified diff, ``patch`` passes over it."""
    for server in servers:
        name = f"{shown_path(server.profile.path, root)}  {server.profile.service or '(no service name)'}"
        yield clean(f"# {name}")
        if not server.changes and not server.left:
            yield "#   nothing to change: no definite finding of severity medium or above"
        written = [each for each in server.changes if each.by_hand is None]
        groups = (
            ("Safe changes", [each for each in written if not each.step.remeasure]),
            ("Changes after which speed and memory must be measured again", [x for x in written if x.step.remeasure]),
            ("To change by hand", [each for each in server.changes if each.by_hand is not None]),
        )
        for title, changes in groups:
            if changes:
                yield f"#   {title} ({len(changes)})"
                for each in changes:
                    yield from _change_lines(each)
        if server.left:
            yield f"#   No edit is known for these; what to do is said with each ({len(server.left)})"
            for finding in server.left:
                yield from _left_lines(finding, root)


def _change_lines(change: Change) -> Iterator[str]:
    step = change.step
    cost = f" (cost: {step.cost})" if step.cost else ""
    again = "; measure again afterwards" if change.by_hand is not None and step.remeasure else ""
    yield clean(f"#     {_once(step.text)}{cost}{again}")
    yield clean(f"#       because of {', '.join(change.rules)}: {_once(step.why)}")
    if change.by_hand is not None:
        yield clean(f"#       not written: {change.by_hand}")
    if change.also:
        yield clean(f"#       also changes {', '.join(change.also)}: the words are the same ones")


def _left_lines(finding: Finding, root: Path) -> Iterator[str]:
    place = f"{shown_path(finding.place.path, root)}:{finding.place.line or ''}".rstrip(":")
    yield clean(f"#     {str(finding.severity).upper()} {finding.rule}: {_once(finding.message)}  [{place}]")
    if finding.fix is not None:
        yield clean(f"#       {_once(finding.fix.text)}")


def _once(text: str) -> str:
    return " ".join(text.split())


def diff_of(old: str, new: str, name: str) -> tuple[str, bool]:
    """The unified diff, and whether it is whole: where a changed line holds a secret, that is hidden.

    Lines around the change that hold one are left out of it.
    """
    for context in (*range(_CONTEXT, 0, -1), 0):
        text = _unified(old, new, name, context)
        if hide_lines(text) == text:
            return text, True
    return hide_lines(text), False


def hide_lines(text: str) -> str:
    return "".join(hide_line(line) for line in text.splitlines(keepends=True))


def _unified(old: str, new: str, name: str, context: int) -> str:
    # Not splitlines: a form feed or a lone carriage return is no end of a line for patch.
    before, after = ([line + "\n" for line in text.split("\n")] for text in (old, new))
    for lines in (before, after):
        lines[-1] = lines[-1].removesuffix("\n")
        if not lines[-1]:
            lines.pop()
    diff = difflib.unified_diff(before, after, name, name, n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)


def fix_entry(servers: Sequence[Fixed], diffs: Mapping[str, str], written: bool, root: Path) -> dict[str, Any]:
    """``servers`` with their changes, what stays, the diff of each file, and whether the files were written."""
    return {
        "servers": [
            {
                "path": shown_path(each.profile.path, root),
                "service": each.profile.service,
                "changes": [_change_entry(change, root) for change in each.changes],
                "left": [finding_entry(finding, root) for finding in each.left],
            }
            for each in servers
        ],
        "diffs": dict(diffs),
        "written": written,
    }


def _change_entry(change: Change, root: Path) -> dict[str, Any]:
    step = change.step
    return {
        "rules": list(change.rules),
        "text": _once(step.text),
        "why": _once(step.why),
        "settings": dict(step.settings),
        "upgrade": step.upgrade,
        "option": step.option,
        "instead": step.instead,
        "cost": step.cost,
        "remeasure": step.remeasure,
        "place": place_entry(step.place, root),
        "by_hand": change.by_hand,
        "also": list(change.also),
    }
