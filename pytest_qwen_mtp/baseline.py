"""The findings that were there when the gate was adopted: they fail nothing, new ones do.

A finding is known again by its content (rule, path, service, the text of the setting it points at), so that lines may
move. The file follows ``schemas/baseline.schema.json``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pytest_qwen_mtp.findings import Certainty, Finding, Place
from pytest_qwen_mtp.reports.entries import shown_path
from pytest_qwen_mtp.reports.secrets import hide_line
from pytest_qwen_mtp.suppressions import text_of

SCHEMA: Final = "pytest-qwen-mtp/baseline/1"
Key = tuple[str, str, str, str]
"""Rule, path relative to pytest's rootdir, service (empty: none), text."""

_FIELDS: Final = ("rule", "path", "service", "text", "certainty", "count")
_NEXT_OPTION = re.compile(r"""[\s,]+["']?--?[A-Za-z]|\s#|\\$""")
_DEFINITE, _POSSIBLE = str(Certainty.DEFINITE), str(Certainty.POSSIBLE)


@dataclass(frozen=True, slots=True)
class Baseline:
    """How many findings of each key and certainty are accepted."""

    counts: Mapping[tuple[Key, str], int] = field(default_factory=dict)


def read_baseline(path: Path) -> Baseline:
    """The baseline in ``path``. Raises ``ValueError`` with the place and what is wrong there."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; --mtp-write-baseline writes it") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}:{error.colno}: is not JSON: {error.msg}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None
    keys, message = _first_error(data)
    if message:
        from pytest_qwen_mtp.registry.load import place_of

        raise ValueError(f"{place_of(path, text, keys)}: {message}")
    counts: Counter[tuple[Key, str]] = Counter()
    for each in data["findings"]:
        counts[key_of(each), each["certainty"]] += each["count"]
    return Baseline(counts)


def _first_error(data: Any) -> tuple[tuple[str | int, ...], str]:
    if not isinstance(data, dict):
        return (), "expected an object with `schema` and `findings`"
    if data.get("schema") != SCHEMA:
        return ("schema",), f"schema: expected {SCHEMA!r}, found {data.get('schema')!r}"
    if not isinstance(data.get("findings"), list):
        return ("findings",), "findings: expected a list"
    for index, each in enumerate(data["findings"]):
        where = ("findings", index)
        if not isinstance(each, dict):
            return where, f"findings[{index}]: expected an object, found {each!r:.60}"
        if set(each) != set(_FIELDS):
            return where, f"findings[{index}]: expected the fields {', '.join(_FIELDS)}; found {', '.join(each)}"
        for name in ("rule", "path", "text"):
            if not isinstance(each[name], str):
                return (*where, name), f"findings[{index}].{name}: expected a text, found {each[name]!r:.60}"
        if not isinstance(each["service"], str | None):
            return (*where, "service"), f"findings[{index}].service: expected a text or null"
        if each["certainty"] not in (_DEFINITE, _POSSIBLE):
            return (*where, "certainty"), f"findings[{index}].certainty: expected {_DEFINITE} or {_POSSIBLE}"
        if type(each["count"]) is not int or each["count"] < 1:
            return (*where, "count"), f"findings[{index}].count: expected a number from 1"
    return (), ""


def key_of(entry: Mapping[str, Any]) -> Key:
    """The key of a finding in its JSON form, or of an item of the file."""
    return entry["rule"], entry["path"], entry["service"] or "", entry.get("text") or ""


def accept(findings: Iterable[Sequence[Finding]], baseline: Baseline | None, root: Path) -> list[list[Finding]]:
    """All findings of one file, by server, with those marked that the baseline has. None: a baseline is being written,
    which will have them all. What was possible there does not accept what has become definite."""
    left = Counter(baseline.counts) if baseline is not None else Counter()
    lines: dict[str, list[str]] = {}
    result = []
    for group in findings:
        told: list[Finding] = []
        for finding in group:
            known = replace(finding, text=setting_text(finding.place, lines))
            if finding.suppressed is None:
                known = replace(known, in_baseline=baseline is None or _take(known, left, root))
            told.append(known)
        result.append(told)
    return result


def _take(finding: Finding, left: Counter[tuple[Key, str]], root: Path) -> bool:
    key = (finding.rule, shown_path(finding.place.path, root), finding.service or "", finding.text)
    wanted = (_DEFINITE,) if finding.certainty is Certainty.DEFINITE else (_POSSIBLE, _DEFINITE)
    for certainty in wanted:
        if left[key, certainty] > 0:
            left[key, certainty] -= 1
            return True
    return False


def setting_text(place: Place, lines: dict[str, list[str]]) -> str:
    """The text from the place on to the next option or the end of the line, with single blanks and without secrets;
    empty for a whole file. ``lines`` keeps the files that were read."""
    if place.line is None:
        return ""
    if place.path not in lines:
        lines[place.path] = text_of(place.path).splitlines()
    known = lines[place.path]
    if place.line > len(known):
        return ""
    text = hide_line(known[place.line - 1])[(place.column or 1) - 1 :]
    end = _NEXT_OPTION.search(text, 1)
    return " ".join((text if end is None else text[: end.start()]).split()).strip("\"', ")


def gone(baseline: Baseline, found: Iterable[Mapping[str, Any]]) -> list[Key]:
    """The keys of the baseline that no finding of the run has any more, sorted."""
    seen = {key_of(each) for each in found}
    return sorted({key for key, _ in baseline.counts if key not in seen})


def elsewhere(path: Path, is_ours: Callable[[str], bool]) -> Baseline:
    """What the file at ``path`` holds about files that this run did not look at: it stays when the file is written
    again. Nothing where there is no such file, or no readable one."""
    try:
        old = read_baseline(path)
    except ValueError:
        return Baseline()
    return Baseline({(key, sure): count for (key, sure), count in old.counts.items() if not is_ours(key[1])})


def baseline_of(found: Iterable[Mapping[str, Any]], kept: Baseline = Baseline()) -> dict[str, Any]:
    """The file's content for findings in their JSON form, with what is ``kept`` of before; suppressed ones have a
    reason of their own and are left out."""
    counts = Counter((key_of(each), each["certainty"]) for each in found if each["suppressed"] is None)
    counts.update(kept.counts)
    return {
        "schema": SCHEMA,
        "findings": [
            {
                "rule": rule,
                "path": path,
                "service": service or None,
                "text": text,
                "certainty": certainty,
                "count": counts[(rule, path, service, text), certainty],
            }
            for (rule, path, service, text), certainty in sorted(
                counts, key=lambda each: (each[0][1], each[0][2], each[0][0], each[0][3], each[1])
            )
        ],
    }
