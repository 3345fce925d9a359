"""The few lines at the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_qwen_mtp.findings import Certainty, Severity
from pytest_qwen_mtp.reports.failure import clean

if TYPE_CHECKING:
    from pytest_qwen_mtp.policy import Policy
    from pytest_qwen_mtp.reports.tally import Entry, Tally

SHOWN = 10
"""Findings that fail nothing, and things not seen, are listed up to this number."""


def summary_lines(tally: Tally, policy: Policy) -> Iterator[str]:
    """Profiles, commands, findings by severity; what did not fail anything; what was not seen."""
    findings = list(tally.findings.values())
    yield (
        f"{_count(tally.profiles, 'profile')} in {_count(len(tally.files), 'file')}, "
        f"{_count(tally.commands, 'command')}: {_by_severity(findings) or 'no findings'}"
    )
    quiet = sorted((each for each in findings if not _failed(each, policy)), key=_worst_first)
    for entry in quiet[:SHOWN]:
        yield f"  {_line(entry)}"
        open_questions = [reason["text"] for reason in entry["why"] if reason["holds"] is None]
        if open_questions:
            yield clean(f"    not known: {open_questions[0]}")
    if len(quiet) > SHOWN:
        yield f"  and {len(quiet) - SHOWN} more that fail nothing; --mtp-report json=PATH has them all"
    unseen = list(_unseen(tally))
    if unseen:
        yield "not seen:"
        for text in unseen[:SHOWN]:
            yield f"  {text}"
        if len(unseen) > SHOWN:
            yield f"  and {len(unseen) - SHOWN} more; --mtp-report json=PATH has them all"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _by_severity(findings: list[Entry]) -> str:
    counts = Counter((each["severity"], each["certainty"]) for each in findings)
    parts = []
    for certainty in Certainty:
        named = [
            f"{counts[(str(severity), str(certainty))]} {severity}"
            for severity in reversed(Severity)
            if counts[(str(severity), str(certainty))]
        ]
        if named:
            parts.append(", ".join(named) + (" possible" if certainty is Certainty.POSSIBLE else ""))
    return "; ".join(parts)


def _failed(entry: Entry, policy: Policy) -> bool:
    if entry["suppressed"] is not None or Severity.parse(entry["severity"]) < policy.fail_on:
        return False
    return policy.strict or entry["certainty"] == Certainty.DEFINITE.value


def _worst_first(entry: Entry) -> tuple[int, bool, str, int]:
    return (
        -Severity.parse(entry["severity"]),
        entry["certainty"] == Certainty.POSSIBLE.value,
        entry["path"],
        entry["line"] or 0,
    )


def _line(entry: Entry) -> str:
    place = ":".join(str(part) for part in (entry["path"], entry["line"], entry["column"]) if part is not None)
    sure = "possible " if entry["certainty"] == Certainty.POSSIBLE.value else ""
    return clean(f"{place}: {sure}{entry['severity']} {entry['rule']}: {entry['message']}")


def _unseen(tally: Tally) -> Iterator[str]:
    if tally.unknown_versions:
        yield (
            f"the engine version of {_count(tally.unknown_versions, 'profile')}"
            " (state it with --mtp-engine-version or x-qwen-mtp)"
        )
    if tally.unresolved:
        names = list(tally.unresolved)
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield f"the value of {', '.join(names[:SHOWN])}{more}"
    for entry in tally.not_seen.values():
        place = ":".join(str(part) for part in (entry["path"], entry["line"], entry["column"]) if part is not None)
        yield clean(f"{place}: {entry['what']}")
