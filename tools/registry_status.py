#!/usr/bin/env python3
"""Asks GitHub for the state of every reference of the registry, and lists what changed since it was last checked.

    tools/registry_status.py --dry-run            # prints what it would ask, and asks nothing
    tools/registry_status.py                      # asks; GITHUB_TOKEN allows more requests in an hour
    tools/registry_status.py --answers FILE       # reads stored answers instead of asking
    tools/registry_status.py --cache FILE         # keeps answers: what is unchanged is then asked for next to nothing

No entry is edited: a person reads what changed and decides. ``last_checked`` is a date, and what happened on that very
day is taken for known. Labels are compared with those in the cache; without one, nobody knows which are new.

Exit codes: 0 nothing changed; 1 something did; 2 wrong usage; 3 not everything could be asked (what was is printed).

Source of the protocol: docs.github.com, REST API, "Issues", "Rate limits for the REST API", "Best practices"
(conditional requests do not count against the limit; Retry-After and X-RateLimit-Reset say when to go on).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_qwen_mtp.registry.entry import Entry
from pytest_qwen_mtp.registry.load import RegistryError, load_registry

if TYPE_CHECKING:
    import httpx

API = "https://api.github.com"
_REFERENCE = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")
_TRIES = 3
_LONGEST_WAIT = 120.0
"""Seconds. A limit that lasts longer ends the run; what was learned is printed and kept."""


class Stopped(Exception):
    """The tracker answers no more for now; the message says why and until when."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the tracker said about one reference: ``data`` of the issue, or None and the ``reason``."""

    data: Mapping[str, Any] | None
    reason: str = ""
    etag: str | None = None


@dataclass(frozen=True, slots=True)
class News:
    """One thing that happened to ``reference`` after the entries that name it were last checked."""

    reference: str
    what: str
    entries: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.reference}: {self.what}  ({', '.join(self.entries)})"


def references(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The issues and pull requests that the entries name, ``owner/name#number``, with the entries that name each."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        for reference in dict.fromkeys(entry.references):
            if _REFERENCE.fullmatch(reference):
                found.setdefault(reference, []).append(entry)
    return dict(sorted(found.items(), key=lambda pair: (pair[0].partition("#")[0], int(pair[0].partition("#")[2]))))


def path_of(reference: str) -> str:
    """The path of the API: pull requests are issues there too."""
    repository, _, number = reference.partition("#")
    return f"/repos/{repository}/issues/{number}"


class Tracker:
    """Asks one reference after the other. ``known`` are answers of earlier runs, by reference, for conditional
    requests; ``sleep`` and ``clock`` (seconds since 1970) stand in for time in tests."""

    def __init__(
        self,
        client: httpx.Client,
        known: Mapping[str, Any],
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.client, self.known, self.sleep, self.clock = client, known, sleep, clock
        self._free_at = 0.0

    def ask(self, reference: str) -> Answer:
        """Raises ``Stopped`` where the limit is reached for longer than is waited."""
        import httpx

        kept = self.known.get(reference) or {}
        headers = {"If-None-Match": kept["etag"]} if kept.get("etag") and kept.get("data") else {}
        reason = ""
        for attempt in range(_TRIES):
            self._pause(self._free_at - self.clock())
            try:
                response = self.client.get(path_of(reference), headers=headers)
            except httpx.HTTPError as error:
                reason = f"no answer: {type(error).__name__}"
                self._pause(float(attempt + 1))
                continue
            self._note_limit(response)
            wait = self._wait_of(response, attempt)
            if wait is None:
                return _read(response, kept)
            reason = f"HTTP {response.status_code}"
            self._pause(wait)
        return Answer(None, f"{reason}, {_TRIES} times")

    def _note_limit(self, response: httpx.Response) -> None:
        if response.headers.get("x-ratelimit-remaining") == "0" and response.status_code in (200, 304):
            self._free_at = _number(response.headers.get("x-ratelimit-reset")) or 0.0

    def _wait_of(self, response: httpx.Response, attempt: int) -> float | None:
        """Seconds until the same question may be asked again; None where the answer stands."""
        limited = response.status_code in (403, 429)
        after = _number(response.headers.get("retry-after"))
        if limited and after is not None:
            return after
        if limited and response.headers.get("x-ratelimit-remaining") == "0":
            reset = _number(response.headers.get("x-ratelimit-reset")) or 0.0
            return max(reset - self.clock(), 1.0)
        if response.status_code == 429:
            return 60.0 * (attempt + 1)
        return float(attempt + 1) if response.status_code >= 500 else None

    def _pause(self, seconds: float) -> None:
        if seconds > _LONGEST_WAIT:
            until = time.strftime("%H:%M:%S UTC", time.gmtime(self.clock() + seconds))
            raise Stopped(f"the tracker's limit is reached until {until}; go on then, or set GITHUB_TOKEN")
        if seconds > 0:
            self.sleep(seconds)


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _read(response: httpx.Response, kept: Mapping[str, Any]) -> Answer:
    if response.status_code == 304:
        return Answer(kept["data"], etag=kept["etag"])
    if response.status_code == 401:
        raise Stopped("HTTP 401: the token in GITHUB_TOKEN is not accepted")
    if response.status_code != 200:
        gone = {404: "there is no such issue, or it is not public", 410: "it was deleted", 301: "it was moved"}
        return Answer(None, f"HTTP {response.status_code}: {gone.get(response.status_code, 'refused')}")
    try:
        data = response.json()
    except ValueError:
        return Answer(None, "the answer is not JSON")
    reason = malformed(data)
    return Answer(None, reason) if reason else Answer(trimmed(data), etag=response.headers.get("etag"))


def malformed(data: Any) -> str:
    """Why ``data`` is no issue; empty where it is one."""
    if not isinstance(data, Mapping):
        return f"the answer is a {type(data).__name__}, expected an object"
    pull = data.get("pull_request")
    kinds: tuple[tuple[str, Any, tuple[type, ...]], ...] = (
        ("state", data.get("state"), (str,)),
        ("updated_at", data.get("updated_at"), (str,)),
        ("labels", data.get("labels"), (list,)),
        ("state_reason", data.get("state_reason"), (str, type(None))),
        ("closed_at", data.get("closed_at"), (str, type(None))),
        ("merged_at", pull.get("merged_at") if isinstance(pull, Mapping) else None, (str, type(None))),
    )
    return next(
        (f"the answer has no usable {key!r}" for key, value, known in kinds if not isinstance(value, known)), ""
    )


def trimmed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an issue that matters here; it is what the cache and stored answers hold."""
    pull = data.get("pull_request")
    labels = [each.get("name") if isinstance(each, Mapping) else each for each in data["labels"]]
    return {
        "state": data["state"],
        "state_reason": data.get("state_reason"),
        "updated_at": data["updated_at"],
        "closed_at": data.get("closed_at"),
        "labels": sorted(each for each in labels if isinstance(each, str)),
        "pull_request": {"merged_at": pull.get("merged_at")} if isinstance(pull, Mapping) else None,
    }


def news_of(
    reference: str, entries: Iterable[Entry], now: Mapping[str, Any], before: Mapping[str, Any] | None
) -> list[News]:
    """What happened to one reference since each of ``entries`` was last checked; ``before`` is an earlier answer."""
    pull = now.get("pull_request") or {}
    merged = pull.get("merged_at")
    found: dict[str, list[str]] = {}
    for entry in entries:
        told = []
        if merged and day(merged) > entry.last_checked:
            told.append(f"merged on {day(merged)}")
        elif now.get("closed_at") and not merged and day(now["closed_at"]) > entry.last_checked:
            reason = f" as {now['state_reason'].replace('_', ' ')}" if now.get("state_reason") else ""
            told.append(f"closed on {day(now['closed_at'])}{reason}")
        reopened = before is not None and before.get("state") == "closed"
        stirred = day(now["updated_at"]) > entry.last_checked
        if stirred and now["state"] == "open" and (reopened or now.get("state_reason") == "reopened"):
            told.append("reopened")
        if stirred and before is not None:
            new = sorted(set(now["labels"]) - set(before.get("labels", ())))
            told += [f"new label {each}" for each in new]
        for each in told:
            found.setdefault(each, []).append(entry.id)
    return [News(reference, what, tuple(ids)) for what, ids in found.items()]


def day(moment: str) -> str:
    """The date of ``2026-09-21T10:11:12Z``; ``last_checked`` is one as well, and both compare as text."""
    return moment[:10]


def read_answers(path: Path) -> dict[str, Any]:
    """Stored answers: ``{"owner/name#1": {"data": …, "etag": …}}``. Raises ``ValueError`` that names the file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None
    if not isinstance(data, dict) or not all(isinstance(each, dict) for each in data.values()):
        raise ValueError(f"{path}: expected an object with one object for each reference")
    return data


def stored(answers: Mapping[str, Any], reference: str) -> Answer:
    """A stored answer: ``data`` is an issue as GitHub sends it, or as the cache keeps it."""
    if reference not in answers:
        return Answer(None, "no stored answer")
    data = answers[reference].get("data")
    reason = malformed(data)
    return Answer(None, reason) if reason else Answer(trimmed(data), etag=answers[reference].get("etag"))


def run(
    entries: Iterable[Entry], ask: Callable[[str], Answer], known: Mapping[str, Any]
) -> tuple[list[News], list[str], dict[str, Any]]:
    """What changed, what could not be learned (one sentence each), and the answers for the next run."""
    news: list[News] = []
    missed: list[str] = []
    answers = dict(known)
    wanted = references(entries)
    for number, (reference, mine) in enumerate(wanted.items()):
        try:
            answer = ask(reference)
        except Stopped as stop:
            missed.append(f"{len(wanted) - number} of {len(wanted)} references were not asked: {stop}")
            break
        if answer.data is None:
            missed.append(f"{reference}: {answer.reason}")
            continue
        before = (known.get(reference) or {}).get("data")
        news += news_of(reference, mine, answer.data, before if isinstance(before, Mapping) else None)
        answers[reference] = {"data": dict(answer.data), "etag": answer.etag}
    return news, missed, answers


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--registry", action="append", default=[], metavar="DIR", help="entries of your own as well")
    parser.add_argument("--dry-run", action="store_true", help="print what would be asked")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="stored answers instead of the tracker's")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="answers of earlier runs, read and written")
    parser.add_argument("--api", default=API, metavar="URL", help=f"the tracker's REST API (default: {API})")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        entries = load_registry(options.registry).entries
        known = read_answers(options.cache) if options.cache is not None and options.cache.exists() else {}
        answers = read_answers(options.answers) if options.answers is not None else None
    except RegistryError as error:
        print(f"registry_status: {error}", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"registry_status: {error}", file=sys.stderr)
        return 2
    if options.dry_run:
        for reference in references(entries):
            kept = " (only if changed)" if (known.get(reference) or {}).get("etag") else ""
            print(f"GET {options.api}{path_of(reference)}{kept}")
        return 0
    if answers is not None:
        news, missed, after = run(entries, lambda reference: stored(answers, reference), known)
    else:
        with client(options.api) as opened:
            news, missed, after = run(entries, Tracker(opened, known).ask, known)
    if options.cache is not None:
        temporary = options.cache.with_name(options.cache.name + ".new")
        temporary.write_text(json.dumps(after, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        temporary.replace(options.cache)
    if options.json:
        changed = [{"reference": each.reference, "what": each.what, "entries": list(each.entries)} for each in news]
        print(json.dumps({"changed": changed, "not_asked": missed}, indent=1))
    else:
        print(*(map(str, news) if news else ["nothing changed since the entries were last checked"]), sep="\n")
    for each in missed:
        print(f"registry_status: {each}", file=sys.stderr)
    return 3 if missed else int(bool(news))


def client(api: str) -> httpx.Client:
    """A client of the API; the token, if the environment has one, goes to that host alone."""
    import httpx

    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    token = os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN")
    if token:
        headers["Authorization"] = f"Bearer {token}"
    # Redirects are not followed: an issue that was moved is worth a look.
    return httpx.Client(base_url=api, headers=headers, timeout=30.0, follow_redirects=False)


if __name__ == "__main__":
    sys.exit(main())
