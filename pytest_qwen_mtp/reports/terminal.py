"""The few lines at the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_qwen_mtp.evidence import is_below
from pytest_qwen_mtp.findings import Certainty, Severity
from pytest_qwen_mtp.reports.entries import accepted_text
from pytest_qwen_mtp.reports.failure import clean

if TYPE_CHECKING:
    from pytest_qwen_mtp.policy import Policy
    from pytest_qwen_mtp.reports.tally import Entry, Tally

SHOWN = 5
"""Rules that fail nothing, and things not seen, are listed up to this number."""
WIDTH = 110
"""Columns of a line of the list."""


def summary_lines(tally: Tally, policy: Policy, verbose: bool = False) -> Iterator[str]:
    """Profiles, commands, findings by severity; what did not fail anything, by rule; what was not seen.

    ``verbose``: every finding and everything not seen, in full, with what would make a possible finding definite.
    """
    found = list(tally.findings.values())
    findings = [each for each in found if each["suppressed"] is None and not each["in_baseline"]]
    accepted = [each for each in found if each["suppressed"] is not None]
    more = [f"{len(accepted)} suppressed"] if accepted else []
    more += [f"{known} in the baseline"] if (known := sum(each["in_baseline"] for each in found)) else []
    yield (
        f"{_count(tally.profiles, 'profile')} in {_count(len(tally.files), 'file')}, "
        f"{_count(tally.commands, 'command')}: "
        f"{'; '.join([_by_severity(findings) or ('no others' if more else 'no findings'), *more])}"
    )
    quiet = sorted((each for each in findings if not _failed(each, policy)), key=_worst_first)
    if verbose:
        for entry in quiet:
            yield f"  {_line(entry)}"
            for reason in entry["why"]:
                if reason["holds"] is None:
                    yield clean(f"    not known: {reason['text']}")
    else:
        yield from _shortened([_rule_line(group) for group in _by_rule(quiet)])
    for entry in sorted(accepted, key=_worst_first) if verbose else ():
        yield clean(f"  {_place(entry)}: suppressed {entry['rule']}: {accepted_text(entry['suppressed'])}")
    unseen = list(_unseen(tally, verbose))
    if unseen:
        yield "not seen:"
        yield from (f"  {text}" for text in unseen) if verbose else _shortened(unseen)


def _shortened(lines: list[str]) -> Iterator[str]:
    for text in lines[:SHOWN]:
        yield f"  {text if len(text) <= WIDTH else text[: WIDTH - 1] + '…'}"
    if len(lines) > SHOWN:
        yield f"  and {len(lines) - SHOWN} more (-v shows all)"


def _by_rule(entries: list[Entry]) -> list[list[Entry]]:
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry["rule"], entry["certainty"]), []).append(entry)
    return list(groups.values())


def _rule_line(group: list[Entry]) -> str:
    times = f" ({len(group)} times)" if len(group) > 1 else ""
    return _line(group[0]).replace(f" {group[0]['rule']}:", f" {group[0]['rule']}{times}:", 1)


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
    if Severity.parse(entry["severity"]) < policy.fail_on or is_below(entry["evidence"], policy.min_evidence):
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
    sure = "possible " if entry["certainty"] == Certainty.POSSIBLE.value else ""
    return clean(f"{_place(entry)}: {sure}{entry['severity']} {entry['rule']}: {entry['message']}")


def _unseen(tally: Tally, verbose: bool) -> Iterator[str]:
    if tally.unknown_versions:
        yield (
            f"the engine version of {_count(tally.unknown_versions, 'profile')}"
            " (state it with --mtp-engine-version or x-qwen-mtp)"
        )
    if tally.unresolved:
        yield f"the value of {', '.join(tally.unresolved)}"
    groups: dict[str, list[Entry]] = {}
    for entry in tally.not_seen.values():
        groups.setdefault(entry["what"], []).append(entry)
    for what, entries in groups.items():
        if verbose:
            yield from (clean(f"{_place(entry)}: {what}") for entry in entries)
        else:
            more = f" and {len(entries) - 1} more" if len(entries) > 1 else ""
            yield clean(f"{_place(entries[0])}{more}: {what}")


def _place(entry: Entry) -> str:
    return ":".join(str(part) for part in (entry["path"], entry["line"], entry["column"]) if part is not None)
