"""An option that the release lacks: a spelling mistake, one that is gone, renamed, or not there yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_qwen_mtp.engines.catalogue import Release, Span
from pytest_qwen_mtp.engines.renames import SUCCESSORS


@dataclass(frozen=True, slots=True)
class Missing:
    """``kind`` is a rule id; ``certain`` is False where the release that runs may be one that was never read."""

    kind: str
    message: str
    suggestion: str | None
    certain: bool


def missing(release: Release, string: str) -> Missing | None:
    """What to say about ``string``, which ``release`` lacks; None where a release that may run could have it.

    A release between two known ones has what one of them has. Of one that is newer than all, what the newest lacks is
    said with doubt. Where nobody knows which release runs, only what no release ever had is worth a word.
    """
    catalogue = release.catalogue
    if not catalogue.versions:
        return None
    spans = catalogue.spans(string)
    if release.exact:
        return _told(release, string, spans, True)
    if not spans and catalogue.abbreviated(string):
        return None
    newest = len(catalogue.versions) - 1
    inside = release.asked is not None and release.above_oldest
    possible = range(release.index, min(release.index + 1, newest) + 1) if inside else range(newest + 1)
    if any(_present(release, spans, index) for index in possible):
        return None
    return _told(release, string, spans, inside and release.index < newest)


def _present(release: Release, spans: tuple[Span, ...], index: int) -> bool:
    number = release.catalogue.versions.index
    return any(number(span.first) <= index <= (index if span.last is None else number(span.last)) for span in spans)


def _told(release: Release, string: str, spans: tuple[Span, ...], certain: bool) -> Missing:
    number = release.catalogue.versions.index
    asked = str(release) if release.exact else f"{release.title} {release.asked}" if release.asked else release.title
    past = [span for span in spans if span.last is not None and number(span.last) < release.index]
    # Between two known releases the later one lacks it too, so it comes after both.
    future = [span for span in spans if number(span.first) > release.index]
    if past:
        last = past[-1].last or ""
        since = release.catalogue.versions[number(last) + 1]
        gone = f"{string} is gone from {asked} (last seen in {last}, missing from {since})"
        new = successor(release, string)
        if new is None:
            return Missing("removed-flag", gone, None, certain)
        return Missing("renamed-flag", f"{gone}; it is {new} now", new, certain)
    if future:
        message = f"{string} is not known to {asked}; it is there from {future[0].first}"
        return Missing("not-yet-flag", message, predecessor(release, string), certain)
    nearest = _nearest(release, string)
    hint = f"; did you mean {nearest}?" if nearest else ""
    subject = asked if release.asked else f"no known release of {release.title}"
    verb = "has no option" if release.asked else "has an option"
    return Missing("unknown-flag", f"{subject} {verb} {string}{hint}", nearest, certain)


def successor(release: Release, string: str) -> str | None:
    """What ``release`` has instead of ``string``: an option, with a value behind ``=`` where the old one stood for one.

    From :data:`SUCCESSORS`, from what the old option itself named, or from the attribute that both set; through several
    renames if need be.
    """
    asked, seen = string, {string}
    while True:
        option = release.elsewhere(asked.partition("=")[0])
        heir = None if option is None else release.by_name.get(option.name)
        new = SUCCESSORS.get(release.engine, {}).get(asked.partition("=")[0])
        if new is None and option is not None:
            new = option.new
        if new is None and heir is not None and string not in heir.strings:
            new = heir.strings[0]
        if new is None or new in seen:
            return None
        if _known(release, new):
            return new
        seen.add(new)
        asked = new


def predecessor(release: Release, string: str) -> str | None:
    """The option of ``release`` that ``string`` took the place of later."""
    return next((each for each, new in _renamed(release) if new.partition("=")[0] == string), None)


def _renamed(release: Release) -> Iterator[tuple[str, str]]:
    for each in release.by_string:
        later = release.elsewhere(each)
        if later is not None and later.new is not None:
            yield each, later.new
    for old, new in SUCCESSORS.get(release.engine, {}).items():
        if old in release.by_string:
            yield old, new


def _known(release: Release, string: str) -> bool:
    name = string.partition("=")[0]
    return name in release.by_string or ("." in name and name.partition(".")[0] in release.by_string)


def _nearest(release: Release, string: str) -> str | None:
    from difflib import get_close_matches

    found = get_close_matches(string, list(release.by_string), n=1, cutoff=0.75)
    return found[0] if found else None
