"""One server in, its findings out. The whole algorithm of the static gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_qwen_mtp.engines.family import identify_model
from pytest_qwen_mtp.engines.model import Settings
from pytest_qwen_mtp.engines.settings import read_settings, speculation
from pytest_qwen_mtp.findings import Certainty, Finding, Fix, Place
from pytest_qwen_mtp.policy import order
from pytest_qwen_mtp.profiles.image import read_image
from pytest_qwen_mtp.profiles.model import Command, Problem, ServeProfile, Word
from pytest_qwen_mtp.registry.facts import Subject
from pytest_qwen_mtp.registry.match import match
from pytest_qwen_mtp.rules.precedence import causes, one_of_each
from pytest_qwen_mtp.rules.unknown_spec_method import names_method
from pytest_qwen_mtp.weights import WeightsResult, check_weights

if TYPE_CHECKING:
    from pytest_qwen_mtp.engines.family import Model
    from pytest_qwen_mtp.registry.load import Registry
    from pytest_qwen_mtp.rules.model import Rule

CHECKS = ("profile", "command", "speculative", "known-bugs", "weights")
"""The items of every server. A finding's ``check`` is one of them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One command as its engine reads it."""

    command: Command
    settings: Settings
    model: Model
    speculative: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Checked:
    """What there is to say about one server.

    ``weights_unread`` is the reason why the checkpoint was not looked at, None when it was.
    """

    profile: ServeProfile
    readings: tuple[Reading, ...]
    findings: tuple[Finding, ...]
    weights_unread: str | None


def read(profile: ServeProfile) -> tuple[Reading, ...]:
    """Each command of the server with its settings, its model and its speculation."""
    readings = []
    for command in profile.commands:
        settings = read_settings(profile.engine, profile.version, command.words, command.env, profile.files)
        name = settings.value("model")
        model = identify_model(name if isinstance(name, str) else None)
        readings.append(Reading(command, settings, model, speculation(settings)))
    return tuple(readings)


def check_profile(profile: ServeProfile, registry: Registry, rules: Sequence[Rule]) -> Checked:
    """All findings about one server, the worst first."""
    readings = read(profile)
    findings = [finding for rule in rules if rule.of_profile for finding in rule.of_profile(profile)]
    unread = None if readings else "no command is known"
    per_command = []
    for reading in readings:
        checkpoint = look_at_checkpoint(profile, reading)
        unread = unread or checkpoint.reason
        found = [replace(finding, service=profile.service) for finding in checkpoint.findings]
        bugs = match(registry, subject(profile, reading, checkpoint.facts))
        found.extend(one_of_each(bugs, apply(rules, profile, reading), registry, reading.command.words))
        per_command.append((reading.command.when, found))
    findings.extend(over_commands(per_command))
    return Checked(profile, readings, tuple(order(findings)), unread)


def apply(rules: Sequence[Rule], profile: ServeProfile, reading: Reading) -> list[Finding]:
    """What the rules say about one command, and about what its engine's own reader has against it."""
    command, settings = reading.command, reading.settings
    found = [finding for rule in rules if rule.of_command for finding in rule.of_command(profile, command, settings)]
    if settings.problems:
        tell = {rule.id: rule.of_problem for rule in rules if rule.of_problem}
        for problem in causes(settings.problems, command.words):
            kind = "unknown-spec-method" if names_method(problem) else problem.kind
            one = tell.get(kind)
            if one is not None:
                found.append(one(profile, settings, problem))
    return found


def subject(profile: ServeProfile, reading: Reading, checkpoint: Mapping[str, Any]) -> Subject:
    """What the registry's conditions are asked about."""
    command, image = reading.command, profile.image
    inside = profile.base or image
    known = read_image(inside) if inside is not None and inside.text else None
    return Subject(
        engine=profile.engine,
        version=profile.version,
        version_evidence=profile.version_evidence.text,
        version_place=profile.version_evidence.place,
        settings=reading.settings,
        model=reading.model,
        image=image.text if image is not None else None,
        platform=profile.stated.get("platform") or (known.platform if known else None),
        gpu=profile.stated.get("gpu"),
        env=command.env or profile.env,
        words=command.words,
        checkpoint=checkpoint,
        place=command.place or profile.place,
        service=profile.service,
    )


def look_at_checkpoint(profile: ServeProfile, reading: Reading) -> WeightsResult:
    """What the model's files say, where they lie on this disk; nothing is downloaded."""
    setting = reading.settings.known.get("model")
    name = setting.value if setting is not None else None
    if setting is None or not isinstance(name, str) or not name:
        return WeightsResult(None, "the model is not known from the files")
    # In a container only what is mounted is on this disk; without one the path is this machine's own.
    path = profile.files.find(name) if name.startswith("/") else None
    if path is None and profile.image is None and name.startswith(("/", "./", "../")):
        path = Path(profile.path).parent / name
    if path is None or not path.exists():
        return WeightsResult(None, f"{name}: no checkpoint of this name lies on this disk")
    return check_weights(Word(str(path), setting.place or profile.place), reading.speculative)


def over_commands(found: Sequence[tuple[str | None, Iterable[Finding]]]) -> list[Finding]:
    """The findings of all commands of a server as one list without repetition.

    ``found`` pairs the condition of a command (None: it starts with nothing set) with its findings. What holds on a
    command without condition, or on all commands, keeps its certainty; what holds on some branches only becomes
    possible and says on which.
    """
    kept: dict[tuple[str, Place | None], list[tuple[int, str | None, Finding]]] = {}
    for index, (when, findings) in enumerate(found):
        for finding in findings:
            # A known bug is told once, wherever its setting stands in each branch.
            key = (finding.rule, None if finding.check == "known-bugs" else finding.place)
            kept.setdefault(key, []).append((index, when, finding))
    return [_merged(held, len(found)) for held in kept.values()]


def _merged(held: list[tuple[int, str | None, Finding]], commands: int) -> Finding:
    held.sort(key=lambda each: (each[1] is not None, each[2].certainty is not Certainty.DEFINITE))
    _, when, finding = held[0]
    if when is None:
        return finding
    everywhere = len({index for index, _, _ in held}) == commands
    if everywhere and all(each.certainty is Certainty.DEFINITE for _, _, each in held):
        return finding
    conditions = dict.fromkeys(each for _, each, _ in held if each is not None)
    return replace(finding, certainty=Certainty.POSSIBLE, when="; or ".join(conditions))


def from_problem(problem: Problem) -> Finding:
    """The finding that a problem with the file itself becomes."""
    return Finding(
        rule=problem.kind,
        severity=problem.severity,
        certainty=Certainty.DEFINITE,
        place=problem.place,
        message=problem.message,
        check="profile",
        fix=Fix(problem.fix) if problem.fix else None,
    )
