"""What an upgrade changes, for people and as JSON: ``qwen-mtp upgrade``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_qwen_mtp.engines.catalogue import TITLES
from pytest_qwen_mtp.engines.model import UNKNOWN, Setting
from pytest_qwen_mtp.findings import Certainty, Finding, Place
from pytest_qwen_mtp.reports.entries import finding_entry, place_entry, shown_path
from pytest_qwen_mtp.reports.failure import clean
from pytest_qwen_mtp.reports.links import link
from pytest_qwen_mtp.reports.secrets import hide_line
from pytest_qwen_mtp.reports.settings import show
from pytest_qwen_mtp.upgrade import Flip, Upgrade


def upgrade_lines(upgrade: Upgrade, root: Path) -> Iterator[str]:
    """The changes in groups, each with its place; one line where nothing changes."""
    profile = upgrade.profile
    name = f"{shown_path(profile.path, root)}  {profile.service or '(no service name)'}"
    yield clean(f"{name}: {TITLES[profile.engine]} {upgrade.old} → {upgrade.new}")
    if upgrade.refused:
        yield from _group("Must change: the new release refuses it, or reads it differently", upgrade.refused, root)
    if upgrade.flips:
        yield from _flips(upgrade.flips, root)
    if upgrade.comes:
        yield from _group("Known trouble that comes", upgrade.comes, root)
    for title, findings in (
        ("Known trouble that goes", upgrade.goes),
        ("Complaints of the old release that go", upgrade.settled),
        ("Complaints of both releases", upgrade.unsettled),
    ):
        if findings:
            yield from _group(title, findings, root, whole=False)
    if upgrade.stays:
        ids = ", ".join(_sure(each) for each in upgrade.stays)
        yield f"\n  Known trouble that stays ({len(upgrade.stays)}): {ids}"
    if not any((upgrade.refused, upgrade.flips, upgrade.comes, upgrade.goes, upgrade.settled)):
        yield "\n  Nothing changes for this command."


def _group(title: str, findings: Sequence[Finding], root: Path, whole: bool = True) -> Iterator[str]:
    yield f"\n  {title} ({len(findings)})"
    for each in findings:
        sure = "" if each.certainty is Certainty.DEFINITE else f" ({each.certainty})"
        yield clean(f"    {str(each.severity).upper()} {each.rule}{sure}: {each.message}  [{_where(each.place, root)}]")
        if each.when:
            yield clean(f"      when: {each.when}")
        if not whole:
            continue
        for reason in each.why:
            mark = {True: "-", False: "- not so:", None: "- not known:"}[reason.holds]
            yield clean(f"      {mark} {reason.text}")
        if each.fix:
            first, *_ = each.fix.text.splitlines() or [""]
            yield clean(f"      change: {first}")
        if each.references:
            yield "      see: " + ", ".join(link(reference) or clean(reference) for reference in each.references)


def _flips(flips: Sequence[Flip], root: Path) -> Iterator[str]:
    yield f"\n  Defaults that change for this command ({len(flips)})"
    for each in flips:
        when = f", when {each.command.when}" if each.command.when else ""
        place = each.after.place or each.command.place
        where = f"  [{_where(place, root)}]" if place is not None else ""
        values = f"{show(each.before.name, each.before.value)} → {show(each.after.name, each.after.value)}"
        yield clean(f"    {each.after.name}: {values}  ({hide_line(each.after.source)}{when}){where}")


def _sure(finding: Finding) -> str:
    return finding.rule if finding.certainty is Certainty.DEFINITE else f"{finding.rule} (possible)"


def _where(place: Place, root: Path) -> str:
    return str(Place(shown_path(place.path, root), place.line, place.column))


def upgrade_entry(upgrade: Upgrade, root: Path) -> dict[str, Any]:
    """The same as JSON. Findings have the form they have in the JSON report; ``stops`` is what the exit code 3 says."""
    profile = upgrade.profile
    groups = {
        "refused": upgrade.refused,
        "settled": upgrade.settled,
        "unsettled": upgrade.unsettled,
        "comes": upgrade.comes,
        "goes": upgrade.goes,
        "stays": upgrade.stays,
    }
    return {
        "path": shown_path(profile.path, root),
        "service": profile.service,
        "engine": profile.engine,
        "from": upgrade.old,
        "to": upgrade.new,
        "stops": upgrade.stops,
        "defaults": [
            {
                "name": each.after.name,
                "before": _setting(each.before),
                "after": _setting(each.after),
                "when": each.command.when,
                "place": place_entry(each.after.place or each.command.place or profile.place, root),
            }
            for each in upgrade.flips
        ],
        **{name: [finding_entry(each, root) for each in findings] for name, findings in groups.items()},
    }


def _setting(setting: Setting) -> dict[str, Any]:
    known = setting.value is not UNKNOWN
    return {"value": setting.value if known else None, "known": known, "source": hide_line(setting.source)}
