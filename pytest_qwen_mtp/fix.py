"""The smallest set of changes that leaves a server free of definite findings, and the text of its file with them.

First the changes are sought among those that the findings propose, on the words of the commands: each set is judged by
the gate itself. Then each change is written at its place, and what was written is read again; where the file does
not say exactly what was sought, the change is told in words.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_qwen_mtp.check import check_profile
from pytest_qwen_mtp.edits import Document, Edit, add_before, add_behind, apply, remove_words, replace_word
from pytest_qwen_mtp.engines.settings import read_settings
from pytest_qwen_mtp.envedits import set_variable
from pytest_qwen_mtp.findings import Certainty, Finding, Place, Severity
from pytest_qwen_mtp.nativeedits import edit_pairs
from pytest_qwen_mtp.profiles.load import LoadOptions, load
from pytest_qwen_mtp.profiles.model import Command, Evidence, Loaded, ServeProfile, Word
from pytest_qwen_mtp.profiles.yamltree import reading_instead
from pytest_qwen_mtp.rewording import Splice, occurrences, reword

if TYPE_CHECKING:
    from pytest_qwen_mtp.check import Checked
    from pytest_qwen_mtp.registry.load import Registry
    from pytest_qwen_mtp.rules.model import Rule

LEAST = Severity.MEDIUM
"""What is less than this is left as it is."""
_TRIES = 150
"""Sets of changes that are judged for one server; each costs one reading of its commands."""
_OFF = {"speculative.method": None}
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


@dataclass(frozen=True, slots=True)
class Change:
    """One step as it went: ``by_hand`` is None where the file's new text has it, else why it could not be written.

    ``rules`` are the findings that it takes away, ``also`` other servers of the file whose words it changed.
    """

    step: Step
    rules: tuple[str, ...]
    by_hand: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fixed:
    """One server: what was changed, and the definite findings that stay when all of it is done."""

    profile: ServeProfile
    changes: tuple[Change, ...]
    left: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """``texts`` are the new texts of the files that change."""

    loaded: Loaded
    servers: tuple[Fixed, ...]
    texts: Mapping[Path, str]


def fix(
    paths: Sequence[Path],
    options: LoadOptions,
    registry: Registry,
    rules: Sequence[Rule],
    texts: Mapping[Path, str],
    service: str | None = None,
) -> Result:
    """What to change in the files ``paths``, whose present texts are ``texts``. Nothing is written."""
    writer = _Writer(paths, options, registry, rules, dict(texts))
    loaded = writer.load()
    servers = []
    for number, profile in enumerate(loaded.profiles):
        if service in (None, profile.service):
            servers.append(writer.fix(number))
    changed = {path: text for path, text in writer.texts.items() if text != texts[path]}
    return Result(loaded, tuple(servers), changed)


# -- which changes


def plan(profile: ServeProfile, registry: Registry, rules: Sequence[Rule]) -> tuple[Step, ...]:
    """The lightest set of changes after which the fewest and least bad definite findings stay."""
    start = check_profile(profile, registry, rules)
    queue: list[tuple[float, int, tuple[Step, ...], ServeProfile, Checked]] = [(0.0, 0, (), profile, start)]
    best: tuple[tuple[int, ...], float, tuple[Step, ...]] | None = None
    seen: set[frozenset[str]] = {frozenset()}
    tries = 0
    while queue:
        weight, _, steps, state, checked = heapq.heappop(queue)
        here = (_badness(checked), weight, steps)
        fair = not _worse(definite(start.findings), definite(checked.findings))
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
                after = check_profile(changed, registry, rules)
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


# -- in the text


class _Writer:
    """The texts of the files while one change after the other is written into them."""

    def __init__(
        self,
        paths: Sequence[Path],
        options: LoadOptions,
        registry: Registry,
        rules: Sequence[Rule],
        texts: dict[Path, str],
    ) -> None:
        self.paths, self.options, self.registry, self.rules, self.texts = paths, options, registry, rules, texts

    def load(self, path: Path | None = None, text: str | None = None) -> Loaded:
        """The files as they are now, one of them with another text."""
        texts = self.texts if path is None else {**self.texts, path: text or ""}
        with reading_instead(texts):
            return load(self.paths, self.options)

    def check(self, profile: ServeProfile) -> Checked:
        return check_profile(profile, self.registry, self.rules)

    def fix(self, number: int) -> Fixed:
        """Plans for the server at ``number`` of the files as they are now, and writes what can be written."""
        profile = self.load().profiles[number]
        before, texts = self.check(profile), dict(self.texts)
        steps = plan(profile, self.registry, self.rules)
        changes = [self.write(number, step) for step in steps]
        after = self.check(self.load().profiles[number])
        if _worse(definite(before.findings), definite(after.findings)):
            # What was written is only part of the plan, and alone it is no better.
            self.texts = texts
            reason = "without the other changes it would bring another finding that is as bad"
            changes = [replace(each, by_hand=each.by_hand or reason, also=()) for each in changes]
        left = profile
        for step in steps:
            left = applied(left, step) or left
        return Fixed(profile, tuple(changes), tuple(definite(self.check(left).findings)))

    def write(self, number: int, step: Step) -> Change:
        loaded = self.load()
        profile = loaded.profiles[number]
        target = applied(profile, step)
        before = {each.rule for each in definite(self.check(profile).findings)}
        if target is None:
            return Change(step, (step.rule,), "it changes nothing any more")
        gone = tuple(sorted(before - {each.rule for each in definite(self.check(target).findings)})) or (step.rule,)
        for path in self.texts:
            document = Document(path, self.texts[path])
            for edits in _attempts(document, profile, step):
                text = apply(document, edits)
                if text is None or text == document.text:
                    continue
                also = self._says(self.load(path, text), loaded, number, target, step)
                if also is not None:
                    self.texts[path] = text
                    return Change(step, gone, None, also)
        return Change(step, gone, _why_not(self.texts, profile, step))

    def _says(
        self, after: Loaded, before: Loaded, number: int, target: ServeProfile, step: Step
    ) -> tuple[str, ...] | None:
        """The names of other servers that changed too, where the files now say ``target`` and nothing is worse."""
        if len(after.profiles) != len(before.profiles) or len(after.problems) > len(before.problems):
            return None
        also = []
        for index, (old, new) in enumerate(zip(before.profiles, after.profiles, strict=True)):
            if index == number:
                if not _same(new, target, old, step):
                    return None
            elif not _equal(new, old):
                known = {each.rule for each in definite(self.check(old).findings)}
                if any(each.rule not in known for each in definite(self.check(new).findings)):
                    return None
                also.append(new.service or "another command")
        return tuple(also)


def _worse(before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    """Whether something came that is as bad as the worst that went."""
    known, now = {each.rule for each in before}, {each.rule for each in after}
    gone = max((each.severity for each in before if each.rule not in now), default=LEAST)
    return any(each.rule not in known and each.severity >= gone for each in after)


def _equal(one: ServeProfile, other: ServeProfile) -> bool:
    return _facts(one) == _facts(other) and _lines(one) == _lines(other)


def _facts(profile: ServeProfile) -> tuple[object, ...]:
    env = {name: word and word.text for name, word in profile.env.items()}
    image = profile.image.text if profile.image else None
    return profile.service, profile.engine, profile.version, image, env, [each.when for each in profile.commands]


def _lines(profile: ServeProfile) -> list[list[str]]:
    return [command.argv for command in profile.commands]


def _same(new: ServeProfile, target: ServeProfile, old: ServeProfile, step: Step) -> bool:
    """Whether ``new`` is ``target``: the same words, new ones at any place where they mean the same."""
    wanted = target if step.upgrade is None else replace(target, image=new.image)
    if _facts(new) != _facts(wanted):
        return False
    per_command = [splices(step, old, command) or () for command in old.commands]
    added = next((each.words for found in per_command for each in found if each.stop is None), ())
    for now, then in zip(new.commands, target.commands, strict=True):
        if now.argv == then.argv:
            continue
        # A branch that had the option already may have it twice now.
        if not added or not _without(now.argv, added) & {tuple(then.argv), *_without(then.argv, added)}:
            return False
        settings = [
            {name: each.value for name, each in read_settings(new.engine, new.version, words, files=new.files).items()}
            for words in (now.words, then.words)
        ]
        if settings[0] != settings[1]:
            return False
    return True


def _without(argv: Sequence[str], part: Sequence[str]) -> set[tuple[str, ...]]:
    """``argv`` without ``part``, once for each place where that stands in one piece."""
    size = len(part)
    starts = [start for start in range(len(argv) - size + 1) if tuple(argv[start : start + size]) == tuple(part)]
    return {(*argv[:start], *argv[start + size :]) for start in starts}


def _attempts(document: Document, profile: ServeProfile, step: Step) -> Iterator[list[Edit]]:
    """Ways to write ``step`` into ``document``, the one that fits the form of the file best first."""
    if step.upgrade is not None:
        yield from _release_edits(document, profile, step.upgrade)
        return
    variables = [(name.removeprefix("env."), value) for name, value in step.settings.items() if name[:4] == "env."]
    fixed = [edit for name, value in variables for edit in set_variable(document, profile, name, value)]
    if variables and not fixed:
        return
    native = document.path.name.endswith((".mtp.yaml", ".mtp.yml"))
    for command in profile.commands:
        found = splices(step, profile, command) or ()
        choices: list[list[list[Edit]]] = []
        for splice in _joined(found):
            if native:
                pairs = edit_pairs(document, command.words, splice)
                choices.append([] if pairs is None else [pairs])
            else:
                choices.append(_splice_edits(document, profile, command, splice))
        if all(choices):
            for chosen in product(*choices):
                yield [*fixed, *(edit for edits in chosen for edit in edits)]


def _joined(found: Sequence[Splice]) -> list[Splice]:
    """Neighbours that both go are one, so that what is between them goes with them."""
    joined: list[Splice] = []
    for each in found:
        last = joined[-1] if joined else None
        if last and each.stop is not None and last.stop == each.start and not last.words and not each.words:
            joined[-1] = Splice(last.start, each.stop, ())
        else:
            joined.append(each)
    return joined


def _splice_edits(document: Document, profile: ServeProfile, command: Command, splice: Splice) -> list[list[Edit]]:
    words = command.words
    if splice.stop is None:
        return [[edit] for edit in _additions(document, profile, words, splice.words)]
    if not splice.words:
        edits = remove_words(document, words[splice.start : splice.stop])
        return [] if edits is None else [edits]
    if len(splice.words) > splice.stop - splice.start:
        return []
    edit = replace_word(document, words[splice.start], splice.words[0])
    rest = words[splice.start + 1 : splice.stop]
    gone = remove_words(document, rest) if rest else []
    return [] if edit is None or gone is None else [[edit, *gone]]


def _additions(document: Document, profile: ServeProfile, words: Sequence[Word], new: Sequence[str]) -> Iterator[Edit]:
    given = occurrences(profile.engine, profile.version, words)
    bounds = [(each.start, each.stop) for each in given]
    if words and (not bounds or bounds[-1][1] < len(words)):
        bounds.append((len(words) - 1, len(words)))
    for start, stop in reversed(bounds):
        yield from add_behind(document, words, start, stop, new)
    for each in reversed(given):
        yield from add_before(document, words[each.start], new)


def _release_edits(document: Document, profile: ServeProfile, release: str) -> Iterator[list[Edit]]:
    """The number of the release where the file pins it: in the image's tag, or behind ``==`` of an installation."""
    version, evidence = profile.version, profile.version_evidence
    if version is None:
        return
    if profile.image is not None and version in profile.image.text and evidence.text.startswith("image tag"):
        edit = replace_word(document, profile.image, profile.image.text.replace(version, release))
        if edit is not None:
            yield [edit]
    start = document.offset(evidence.place)
    if start is not None and evidence.text.startswith("pip"):
        found = re.compile(f"(?<===){re.escape(version)}").search(document.text, start, document.line(start)[1])
        if found is not None:
            yield [Edit(found.start(), found.end(), release)]


def _why_not(texts: Mapping[Path, str], profile: ServeProfile, step: Step) -> str:
    """Why no edit would do, with the places of the words that it is about."""
    known = {path.resolve() for path in texts}
    words: list[Word] = []
    if step.upgrade is not None:
        evidence = profile.version_evidence
        if profile.image is None or not profile.image.references or evidence.place != profile.image.place:
            return f"the release is known otherwise: {evidence.text}" + (
                f" ({evidence.place})" if evidence.place else ""
            )
        words.append(profile.image)
    for command in profile.commands:
        for each in splices(step, profile, command) or ():
            words += command.words[each.start : each.stop] if each.stop is not None else command.words[-1:]
    for word in words:
        if Path(word.place.path).resolve() not in known:
            return f"the words stand in {word.place}, which is another file"
        if word.references:
            reference = word.references[0]
            where = reference.given_at or reference.place
            return f"the words come from the variable {reference.name} ({where}), which others may use as well"
    place = words[0].place if words else profile.version_evidence.place or step.place
    return f"the words at {place} stand in a form that is not changed by itself"
