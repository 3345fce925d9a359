"""Which changes leave a server free of definite findings: the lightest set of those that the findings propose.

They are made on the words of the commands, and each set is judged by the gate itself; no text is edited here.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_qwen_mtp.engines.launcher import launch
from pytest_qwen_mtp.findings import Certainty, Finding, Place, Severity
from pytest_qwen_mtp.profiles.model import Command, Evidence, ServeProfile, Word
from pytest_qwen_mtp.rewording import Splice, occurrences, reword

if TYPE_CHECKING:
    from pytest_qwen_mtp.check import Checked
    from pytest_qwen_mtp.registry.load import Registry

LEAST = Severity.MEDIUM
"""What is less than this is left as it is."""
_TRIES = 150
"""Sets of changes that are judged for one server; each costs one reading of its commands."""
_OFF = {"speculative.method": None}
_REPEATED = "duplicate-serve"
_RENAMED = ("renamed-flag", "not-yet-flag")


@dataclass(frozen=True, slots=True)
class Step:
    """One change. ``rule`` and ``why`` are the finding's that it is for; ``text`` says it, ``cost`` what one pays.

    It is one of three: ``settings`` with their new values (None: taken away), ``upgrade`` to a release, or ``option``,
    a word that the release does not take, which becomes ``instead`` (None: is taken away with its value).
    ``remeasure``: speed or memory is another one afterwards. ``weight`` orders sets of changes, lightest first.
    """

    rule: str
    severity: Severity
    why: str
    text: str
    place: Place
    settings: Mapping[str, Any] = field(default_factory=dict)
    upgrade: str | None = None
    option: str | None = None
    instead: str | None = None
    cost: str | None = None
    remeasure: bool = False
    weight: float = 1.0

    @property
    def key(self) -> str:
        """What it does, so that the same change for two findings is one."""
        return repr((sorted(self.settings.items(), key=str), self.upgrade, self.option, self.instead))


def plan(profile: ServeProfile, registry: Registry, judge: Callable[[ServeProfile], Checked]) -> tuple[Step, ...]:
    """The lightest set of changes after which the fewest and least bad definite findings stay, as ``judge`` says."""
    start = judge(profile)
    queue: list[tuple[float, int, tuple[Step, ...], ServeProfile, Checked]] = [(0.0, 0, (), profile, start)]
    best: tuple[tuple[int, ...], float, tuple[Step, ...]] | None = None
    seen: set[frozenset[str]] = {frozenset()}
    tries = 0
    while queue:
        weight, _, steps, state, checked = heapq.heappop(queue)
        here = (_badness(checked), weight, steps)
        fair = not worse(definite(start.findings), definite(checked.findings))
        if fair and (best is None or here[:2] < best[:2]):
            best = here
        if fair and not any(here[0]):
            break
        for finding in definite(checked.findings):
            for step in proposed(finding, state, checked, registry):
                key = frozenset(each.key for each in (*steps, step))
                if key in seen or tries >= _TRIES:
                    continue
                seen.add(key)
                changed = applied(state, step)
                if changed is None:
                    continue
                tries += 1
                after = judge(changed)
                if _helps(checked, after, finding):
                    heapq.heappush(queue, (weight + step.weight, tries, (*steps, step), changed, after))
    return () if best is None else best[2]


def definite(findings: Sequence[Finding]) -> list[Finding]:
    """Those that a fix is for: certain, at least of medium severity, and accepted by nobody."""
    return [
        each
        for each in findings
        if each.certainty is Certainty.DEFINITE and each.severity >= LEAST and each.suppressed is None
    ]


def worse(before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    """Whether something came that is as bad as the worst that went."""
    known, now = {each.rule for each in before}, {each.rule for each in after}
    gone = max((each.severity for each in before if each.rule not in now), default=LEAST)
    return any(each.rule not in known and each.severity >= gone for each in after)


def _badness(checked: Checked) -> tuple[int, ...]:
    found = Counter(each.severity for each in definite(checked.findings))
    return tuple(found[severity] for severity in sorted(Severity, reverse=True) if severity >= LEAST)


def _helps(before: Checked, after: Checked, finding: Finding) -> bool:
    """Whether there is less of ``finding``. What comes for it may go with the next change."""
    counts = [sum(each.rule == finding.rule for each in definite(checked.findings)) for checked in (after, before)]
    return counts[0] < counts[1]


def proposed(finding: Finding, profile: ServeProfile, checked: Checked, registry: Registry) -> Iterator[Step]:
    """The changes that could take ``finding`` away, the cheapest first."""

    def step(text: str, weight: float, **more: Any) -> Step:
        return Step(finding.rule, finding.severity, finding.message, text, finding.place, weight=weight, **more)

    entry = registry.get(finding.rule) if finding.check == "known-bugs" else None
    for number, each in enumerate(entry.workarounds if entry else ()):
        weight = (2.0 if each.remeasure else 1.0) + number / 100
        if each.settings:
            off = dict(each.settings) == _OFF
            if off and finding.severity < Severity.HIGH:
                continue  # a server without its draft is no answer to a nuisance
            weight += 100 if off else 0
            settings = dict(each.settings)
            yield step(each.text, weight, settings=settings, cost=each.cost, remeasure=each.remeasure or off)
        elif each.upgrade and profile.version and each.upgrade != profile.version:
            yield step(each.text, 20 + number, upgrade=each.upgrade, cost=each.cost, remeasure=True)
    if entry is not None or finding.fix is None:
        return
    if finding.rule == "ignored-env-var":
        for name in (name for name, word in profile.env.items() if word is not None and word.place == finding.place):
            yield step(finding.fix.text, 1, settings={f"env.{name}": None})
    if finding.rule == _REPEATED:
        yield step(finding.fix.text, 1, option=_REPEATED)
        return
    for problem in (each for reading in checked.readings for each in reading.settings.problems):
        if problem.kind != finding.rule or problem.place != finding.place or problem.option is None:
            continue
        if problem.kind in _RENAMED and problem.suggestion:
            yield step(finding.fix.text, 1, option=problem.option, instead=problem.suggestion)
        elif problem.kind == "removed-flag":
            yield step(finding.fix.text, 2, option=problem.option, remeasure=True)
        return


# -- on the words


def splices(step: Step, profile: ServeProfile, command: Command) -> tuple[Splice, ...] | None:
    """What ``step`` does to the words of one command; None where no words say it."""
    engine, version, words = profile.engine, profile.version, command.words
    if step.rule == _REPEATED:
        started = launch(engine, words)
        again = next((index for index, word in enumerate(words) if word is started.again), None)
        return () if again is None else (Splice(again, len(words) - len(started.options), ()),)
    if step.option is not None:
        found = [each for each in occurrences(engine, version, words) if words[each.start].text.startswith(step.option)]
        mine = [each for each in found if words[each.start].text.partition("=")[0] == step.option]
        if step.instead is None:
            return tuple(Splice(each.start, each.stop, ()) for each in mine)
        pairs = [(each.start, step.instead + words[each.start].text.removeprefix(step.option)) for each in mine]
        return tuple(Splice(start, start + 1, (text,)) for start, text in pairs)
    plain = {name: value for name, value in step.settings.items() if not name.startswith("env.")}
    return reword(engine, version, words, plain) if plain else ()


def applied(profile: ServeProfile, step: Step) -> ServeProfile | None:
    """``profile`` with the change; None where it cannot be said or changes nothing."""
    env = {name.removeprefix("env."): value for name, value in step.settings.items() if name.startswith("env.")}
    commands = []
    for command in profile.commands:
        found = splices(step, profile, command)
        if found is None:
            return None
        words = list(command.words)
        for each in sorted(found, key=lambda each: each.start if each.stop is not None else len(words), reverse=True):
            at = len(words) if each.stop is None else each.start
            place = words[min(at, len(words) - 1)].place
            words[at : at if each.stop is None else each.stop] = [Word(text, place) for text in each.words]
        variables = _with(command.env, env, profile.place) if command.env else command.env
        commands.append(replace(command, words=tuple(words), env=variables))
    changed = replace(profile, commands=tuple(commands), env=_with(profile.env, env, profile.place))
    if step.upgrade is not None:
        changed = replace(changed, version=step.upgrade, version_evidence=Evidence(f"release {step.upgrade}"))
    return None if changed == profile else changed


def _with(env: Mapping[str, Word | None], new: Mapping[str, Any], place: Place) -> Mapping[str, Word | None]:
    kept = {name: word for name, word in env.items() if name not in new}
    return {**kept, **{name: Word(str(value), place) for name, value in new.items() if value is not None}}
