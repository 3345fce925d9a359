"""A failing item as text: each finding with the line it stands on, why, and what to change."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_qwen_mtp.findings import Certainty, Finding, Place
from pytest_qwen_mtp.reports.entries import accepted_text, shown_path
from pytest_qwen_mtp.reports.links import link
from pytest_qwen_mtp.reports.secrets import hide_line

LINE_WIDTH = 110
"""Columns of a quoted line; of a longer one the part round the place is shown."""
SEEN = 2
"""References shown with a finding; ``qwen-mtp explain`` has them all."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The first finding in one line, for pytest's short summary and JUnit's ``message``."""

    message: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The text of a failing item. pytest prints it through ``toterminal``; its ``str`` is the same without colour."""

    lines: tuple[tuple[str, str], ...]
    reprcrash: Headline

    def toterminal(self, writer: Any) -> None:
        for text, style in self.lines:
            writer.line(text, **dict.fromkeys(style.split(), True))

    def __str__(self) -> str:
        return "\n".join(text for text, _ in self.lines)


def failure_of(findings: Sequence[Finding], root: Path) -> Failure:
    """All findings of one item; ``root`` is the folder that shown paths are relative to."""
    lines: list[tuple[str, str]] = []
    for finding in findings:
        if lines:
            lines.append(("", ""))
        lines.extend(finding_lines(finding, root))
    first = findings[0]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return Failure(tuple(lines), Headline(f"{first.severity} {first.rule}: {clean(first.message)}{more}"))


def finding_lines(finding: Finding, root: Path) -> Iterator[tuple[str, str]]:
    """The lines of one finding, each with its style (names of pytest's terminal writer markup)."""
    sure = "" if finding.certainty is Certainty.DEFINITE else f" ({finding.certainty})"
    yield f"{str(finding.severity).upper()} {finding.rule}{sure}: {clean(finding.message)}", "red bold"
    yield f"  --> {_shown(finding.place, root)}", ""
    for text in quoted_line(finding.place):
        yield text, ""
    if finding.when:
        yield f"  when: {clean(finding.when)}", ""
    if finding.suppressed is not None:
        yield f"  suppressed: {clean(accepted_text(finding.suppressed) or '')}", ""
    if finding.in_baseline:
        yield "  in the baseline: it does not fail", ""
    if finding.why:
        yield "  why:", ""
        for reason in finding.why:
            mark = {True: "-", False: "- not so:", None: "- not known:"}[reason.holds]
            where = f"  ({_shown(reason.place, root)})" if reason.place else ""
            yield f"    {mark} {clean(reason.text)}{where}", ""
    if finding.fix:
        first, *rest = finding.fix.text.splitlines() or [""]
        yield f"  change: {clean(first)}", "green"
        for text in rest:
            yield f"          {clean(text)}", "green"
    if finding.references:
        shown = [link(reference) or clean(reference) for reference in finding.references]
        yield f"  see: {', '.join(shown[:SEEN])}{f' and {len(shown) - SEEN} more' if len(shown) > SEEN else ''}", ""
    yield f"  more: qwen-mtp explain {finding.rule}", ""


def quoted_line(place: Place) -> list[str]:
    """The line of the file with a caret under the column; nothing where it cannot be read."""
    text = _line(place)
    if text is None:
        return []
    text = hide_line(text)
    column = min(max(place.column or 1, 1), len(text) + 1) - 1
    start = 0 if len(text) <= LINE_WIDTH else max(0, min(column - LINE_WIDTH // 3, len(text) - LINE_WIDTH))
    shown = _flat(text[start : start + LINE_WIDTH])
    before = _flat(text[start:column])
    number = str(place.line)
    lines = [f"  {number} | {'…' if start else ''}{shown}{'…' if start + LINE_WIDTH < len(text) else ''}"]
    if place.column is not None:
        lines.append(f"  {' ' * len(number)} | {' ' * (_width(before) + bool(start))}^")
    return lines


def _line(place: Place) -> str | None:
    if place.line is None:
        return None
    try:
        with open(place.path, encoding="utf-8", errors="replace", newline="\n") as file:
            for number, text in enumerate(file, 1):
                if number == place.line:
                    return text.rstrip("\r\n").removeprefix("\ufeff") if number == 1 else text.rstrip("\r\n")
    except OSError:
        return None
    return None


def _flat(text: str) -> str:
    return clean(text.replace("\t", " "))


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else not unicodedata.combining(each) for each in text)


def clean(text: str) -> str:
    """``text`` on one line, with control characters made visible: what a file holds must not steer a terminal."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else " " if each in "\n\t" else f"\\x{ord(each):02x}" for each in text)


def _shown(place: Place, root: Path) -> str:
    return clean(str(Place(shown_path(place.path, root), place.line, place.column)))
