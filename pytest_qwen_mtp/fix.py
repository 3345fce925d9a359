"""The smallest set of changes that leaves a server free of definite findings, and the text of its file with them.

First the changes are sought among those that the findings propose, on the words of the commands: each set is judged by
the gate itself. Then each change is written at its place, and what was written is read again; where the file does
not say exactly what was sought, the change is told in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_qwen_mtp.check import check_profile
from pytest_qwen_mtp.edits import Document, Edit, add_before, add_behind, apply, remove_words, replace_word
from pytest_qwen_mtp.engines.settings import read_settings
from pytest_qwen_mtp.envedits import set_variable
from pytest_qwen_mtp.findings import Finding
from pytest_qwen_mtp.fixplan import Step, applied, definite, plan, splices, worse
from pytest_qwen_mtp.nativeedits import edit_pairs
from pytest_qwen_mtp.profiles.load import LoadOptions, load
from pytest_qwen_mtp.profiles.model import Command, Loaded, ServeProfile, Word
from pytest_qwen_mtp.profiles.yamltree import reading_instead
from pytest_qwen_mtp.rewording import Splice, occurrences

if TYPE_CHECKING:
    from pytest_qwen_mtp.check import Checked
    from pytest_qwen_mtp.registry.load import Registry
    from pytest_qwen_mtp.rules.model import Rule


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
    today: date | None = None,
) -> Result:
    """What to change in the files ``paths``, whose present texts are ``texts``. Nothing is written.

    ``today``: the day for suppressions that end; the machine's where it is None.
    """
    writer = _Writer(paths, options, registry, rules, dict(texts))
    loaded = writer.load()
    writer.read_accepted(loaded, today or date.today())
    servers = []
    for number, profile in enumerate(loaded.profiles):
        if service in (None, profile.service):
            servers.append(writer.fix(number))
    changed = {path: text for path, text in writer.texts.items() if text != texts[path]}
    return Result(loaded, tuple(servers), changed)


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
        self.accepted: dict[str | None, frozenset[str]] = {}

    def load(self, path: Path | None = None, text: str | None = None) -> Loaded:
        """The files as they are now, one of them with another text."""
        texts = self.texts if path is None else {**self.texts, path: text or ""}
        with reading_instead(texts):
            return load(self.paths, self.options)

    def check(self, profile: ServeProfile) -> Checked:
        """What the gate says, with those findings marked that somebody accepts."""
        checked = check_profile(profile, self.registry, self.rules)
        accepted = self.accepted.get(profile.service)
        if not accepted:
            return checked
        mark: dict[str, str | None] = {"reason": "accepted in the file", "until": None}
        found = (replace(each, suppressed=mark) if each.rule in accepted else each for each in checked.findings)
        return replace(checked, findings=tuple(found))

    def read_accepted(self, loaded: Loaded, today: date) -> None:
        """Learns which rules the files' own suppressions accept for each server, wherever they meet it."""
        from pytest_qwen_mtp.accepted import Server, id_of, suppress
        from pytest_qwen_mtp.suppressions import MARK, of_ignored, read_comments

        if not any(MARK in text for text in self.texts.values()):
            return
        names = [str(number) for number in range(len(loaded.profiles))]
        servers, findings = [], {}
        for name, profile in zip(names, loaded.profiles, strict=True):
            accepts = tuple(of_ignored(profile.stated.get("ignore", ())))
            servers.append(Server(name, profile.service, profile.place, accepts))
            findings[name] = self.check(profile).findings
        comments = [each for path, text in self.texts.items() for each in read_comments(text, str(path))]
        known = partial(id_of, registry=self.registry, rules=self.rules)
        told = suppress(findings, servers, comments, (), known, today)
        for name, profile in zip(names, loaded.profiles, strict=True):
            open_ones = {each.rule for each in told[name] if each.suppressed is None}
            accepted = {each.rule for each in told[name] if each.suppressed is not None}
            here = frozenset(accepted - open_ones)
            self.accepted[profile.service] = self.accepted.get(profile.service, here) & here

    def fix(self, number: int) -> Fixed:
        """Plans for the server at ``number`` of the files as they are now, and writes what can be written."""
        profile = self.load().profiles[number]
        before, texts = self.check(profile), dict(self.texts)
        steps = plan(profile, self.registry, self.check)
        changes = [self.write(number, step) for step in steps]
        after = self.check(self.load().profiles[number])
        if worse(definite(before.findings), definite(after.findings)):
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
