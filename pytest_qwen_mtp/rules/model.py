"""A rule: a check that needs code rather than a registry entry, with its documentation and its examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Certainty, Finding, Fix, Place, Reason, Severity
from pytest_qwen_mtp.profiles.model import Command, ServeProfile


@dataclass(frozen=True, slots=True)
class Examples:
    """Compose files, as text, that must and must not give the rule's finding."""

    bad: tuple[str, ...]
    good: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """``of_profile`` looks at a service as a whole, ``of_command`` at each of its commands, ``of_problem`` at each
    thing that the engine's own reader has against a command and that goes by the rule's id.

    ``check`` is the item that the rule's findings belong to. ``doc`` has the headings *What it is*, *Whom it hits*,
    *How to see it*, *What to change*.
    """

    id: str
    severity: Severity
    check: str
    title: str
    doc: str
    examples: Examples
    of_profile: Callable[[ServeProfile], Iterable[Finding]] | None = None
    of_command: Callable[[ServeProfile, Command, Settings], Iterable[Finding]] | None = None
    of_problem: Callable[[ServeProfile, Settings, OptionProblem], Finding] | None = None

    def finding(
        self,
        profile: ServeProfile,
        place: Place,
        message: str,
        *,
        why: tuple[Reason, ...] = (),
        fix: str | None = None,
        certainty: Certainty = Certainty.DEFINITE,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this rule about ``profile``; ``severity`` where it is not the rule's own."""
        return Finding(
            rule=self.id,
            severity=self.severity if severity is None else severity,
            certainty=certainty,
            place=place,
            message=message,
            check=self.check,
            service=profile.service,
            why=why,
            fix=Fix(fix) if fix else None,
        )

    def mistakes(self, profile: ServeProfile, command: Command, message: str) -> Iterator[Finding]:
        """One finding for each mistake of this rule's kind in the script around the command, at its place."""
        for each in command.mistakes:
            if each.kind == self.id:
                why = (Reason(each.message, place=each.place),)
                yield self.finding(profile, each.place, message, why=why, fix=each.fix)

    def told(
        self, profile: ServeProfile, problem: OptionProblem, message: str, fix: str, severity: Severity | None = None
    ) -> Finding:
        """The finding that ``problem`` becomes. ``message`` is what happens to the server; the problem says why."""
        why = [Reason(problem.message, place=problem.place)]
        certainty = Certainty.DEFINITE
        if not problem.certain:
            version = profile.version or "that runs"
            why.append(Reason(f"it was not read in the very release {version}; would be definite if so", None))
            certainty = Certainty.POSSIBLE
        return self.finding(
            profile, problem.place, message, why=tuple(why), fix=fix, certainty=certainty, severity=severity
        )
