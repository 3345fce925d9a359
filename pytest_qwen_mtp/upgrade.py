"""What changes for one server between the release that its file pins and another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_qwen_mtp.check import check_profile
from pytest_qwen_mtp.engines.model import Origin, Setting, Settings
from pytest_qwen_mtp.findings import Certainty, Finding, Severity
from pytest_qwen_mtp.policy import order
from pytest_qwen_mtp.profiles.model import Command, Evidence, ServeProfile

if TYPE_CHECKING:
    from pytest_qwen_mtp.registry.load import Registry
    from pytest_qwen_mtp.rules.model import Rule

_BUGS = "known-bugs"
_OF_THE_FILE = ("profile", "weights")


@dataclass(frozen=True, slots=True)
class Flip:
    """A setting that nobody changed and that has another value afterwards."""

    command: Command
    before: Setting
    after: Setting


@dataclass(frozen=True, slots=True)
class Upgrade:
    """``refused``: what the new release has against the command and the old one had not; ``settled``: the reverse;
    ``unsettled``: what both have against it.

    ``flips``: settings whose value changes by itself. ``comes``, ``goes`` and ``stays``: known trouble; what was
    possible and becomes definite is among what comes.
    """

    profile: ServeProfile
    old: str
    new: str
    refused: tuple[Finding, ...]
    settled: tuple[Finding, ...]
    unsettled: tuple[Finding, ...]
    flips: tuple[Flip, ...]
    comes: tuple[Finding, ...]
    goes: tuple[Finding, ...]
    stays: tuple[Finding, ...]

    @property
    def stops(self) -> bool:
        """Whether something that is bad for the server, and sure, comes with the new release."""
        return any(
            each.severity >= Severity.HIGH and each.certainty is Certainty.DEFINITE
            for each in (*self.refused, *self.comes)
        )


def compare(profile: ServeProfile, old: str, new: str, registry: Registry, rules: Sequence[Rule]) -> Upgrade:
    """``profile`` on release ``old`` beside the same on ``new``. Nothing else about it is changed."""
    before, after = (check_profile(_on(profile, version), registry, rules) for version in (old, new))
    flips: dict[tuple[str, str, str], Flip] = {}
    for reading, later in zip(before.readings, after.readings, strict=True):
        for flip in _flips(reading.command, reading.settings, later.settings):
            flips.setdefault((flip.after.name, repr(flip.before.value), repr(flip.after.value)), flip)
    told = {_key(each): each for each in before.findings}
    telling = {_key(each): each for each in after.findings}
    comes = [each for key, each in telling.items() if key not in told or _surer(told[key], each)]
    goes = [each for key, each in told.items() if key not in telling]
    stays = [each for key, each in telling.items() if key in told and not _surer(told[key], each)]
    # A known bug that one release's parser finds by itself goes by the rule's name there: it neither comes nor goes.
    one, other = _aliases(before.findings), _aliases(after.findings)
    stays += [each for each in comes if each.check == _BUGS and each.rule in one]
    comes = [each for each in comes if not (each.check == _BUGS and each.rule in one)]
    goes = [each for each in goes if not (each.check == _BUGS and each.rule in other)]
    return Upgrade(
        profile,
        old,
        new,
        refused=_of(comes, bugs=False),
        settled=_of(goes, bugs=False),
        unsettled=_of(stays, bugs=False),
        flips=tuple(flips.values()),
        comes=_of(comes, bugs=True),
        goes=_of(goes, bugs=True),
        stays=_of(stays, bugs=True),
    )


def _on(profile: ServeProfile, version: str) -> ServeProfile:
    evidence = Evidence(f"release {version}", profile.version_evidence.place)
    return replace(profile, version=version, version_evidence=evidence)


def _flips(command: Command, before: Settings, after: Settings) -> list[Flip]:
    """Settings of both releases with different values; first those that the release works out for this command."""
    found = [
        Flip(command, old, new)
        for name, new in after.known.items()
        if (old := before.known.get(name)) is not None and old.value != new.value and not _both_given(old, new)
    ]
    return sorted(found, key=lambda each: (each.after.source.startswith("default of"), each.after.name))


def _both_given(old: Setting, new: Setting) -> bool:
    """Written in the file: where one release cannot read it, a finding says so."""
    return old.origin is Origin.GIVEN and new.origin is Origin.GIVEN


def _key(finding: Finding) -> tuple[object, ...]:
    """What makes two findings the same one. A known bug is one, wherever its setting stands."""
    return (finding.rule,) if finding.check == _BUGS else (finding.rule, finding.place)


def _aliases(findings: Sequence[Finding]) -> set[str]:
    return {alias for finding in findings if finding.check != _BUGS for alias in finding.aliases}


def _surer(old: Finding, new: Finding) -> bool:
    return old.certainty is Certainty.POSSIBLE and new.certainty is Certainty.DEFINITE


def _of(findings: Sequence[Finding], bugs: bool) -> tuple[Finding, ...]:
    return tuple(order(each for each in findings if each.check not in _OF_THE_FILE and (each.check == _BUGS) is bugs))
