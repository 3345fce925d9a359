"""A rule: a check that needs code rather than a registry entry, with its documentation and its examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pytest_qwen_mtp.engines.model import Settings
from pytest_qwen_mtp.findings import Certainty, Finding, Fix, Place, Reason, Severity
from pytest_qwen_mtp.profiles.model import Command, ServeProfile


@dataclass(frozen=True, slots=True)
class Examples:
    """Compose files, as text, that must and must not give the rule's finding."""

    bad: tuple[str, ...]
    good: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """``of_profile`` looks at a service as a whole, ``of_command`` at each of its commands.

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

    def finding(
        self,
        profile: ServeProfile,
        place: Place,
        message: str,
        *,
        why: tuple[Reason, ...] = (),
        fix: str | None = None,
        certainty: Certainty = Certainty.DEFINITE,
    ) -> Finding:
        """A finding of this rule about ``profile``."""
        return Finding(
            rule=self.id,
            severity=self.severity,
            certainty=certainty,
            place=place,
            message=message,
            check=self.check,
            service=profile.service,
            why=why,
            fix=Fix(fix) if fix else None,
        )
