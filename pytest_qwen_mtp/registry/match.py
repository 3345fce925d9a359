"""Which known trouble a command meets."""

from __future__ import annotations

from pytest_qwen_mtp.evidence import ONE_REPORTER
from pytest_qwen_mtp.findings import Certainty, Finding, Fix, Place, Reason, Severity
from pytest_qwen_mtp.registry.conditions import plain
from pytest_qwen_mtp.registry.conflicts import is_free
from pytest_qwen_mtp.registry.entry import Entry, Workaround
from pytest_qwen_mtp.registry.facts import Facts, Subject
from pytest_qwen_mtp.registry.load import Registry
from pytest_qwen_mtp.registry.ranges import Standing

CHECK = "known-bugs"


def match(registry: Registry, subject: Subject) -> list[Finding]:
    """The findings for ``subject``, worst first. ``definite`` where version and conditions say yes, ``possible`` where
    something is unknown and nothing says no; ``why`` then tells what would make it definite."""
    facts = Facts(subject)
    findings = []
    for entry, version in registry.candidates(subject.engine, subject.version):
        holds = entry.when.truth(facts)
        if holds is not False:
            findings.append(_finding(registry, entry, version, holds, facts))
    return findings


def _finding(registry: Registry, entry: Entry, version: Standing, holds: bool | None, facts: Facts) -> Finding:
    subject = facts.subject
    why = [_version_reason(version, subject), *_once(entry.when.reasons(facts))]
    definite = holds is True and version.holds is True
    if definite and not _may_be_definite(entry):
        definite = False
        why.append(ONE_REPORTER)
    return Finding(
        rule=entry.id,
        severity=entry.severity,
        certainty=Certainty.DEFINITE if definite else Certainty.POSSIBLE,
        place=_place(why[1:], subject),
        message=entry.symptom,
        check=CHECK,
        service=subject.service,
        why=tuple(why),
        fix=_fix(registry, entry, facts, definite),
        references=entry.references,
        aliases=entry.aliases,
        evidence=entry.evidence,
    )


def _version_reason(version: Standing, subject: Subject) -> Reason:
    evidence = f" ({subject.version_evidence})" if subject.version_evidence else ""
    head, mark, hope = version.text.partition("; would be")
    return Reason(f"{head}{evidence}{mark}{hope}", version.holds, subject.version_place)


def _once(reasons: object) -> list[Reason]:
    return list(dict.fromkeys(reasons))  # type: ignore[call-overload]


def _place(why: list[Reason], subject: Subject) -> Place:
    """Where to point: entries name the condition that is theirs alone last, so the last place that held is nearest."""
    model = subject.settings.known.get("model")
    elsewhere = model.place if model is not None else None
    placed = [reason for reason in why if reason.place is not None and reason.place != elsewhere]
    for reason in reversed(placed):
        if reason.holds and reason.place is not None:
            return reason.place
    return next((reason.place for reason in placed if reason.place is not None), subject.place)


def _may_be_definite(entry: Entry) -> bool:
    return not (entry.severity is Severity.CRITICAL and entry.evidence == "one reporter")


def _fix(registry: Registry, entry: Entry, facts: Facts, definite: bool) -> Fix | None:
    """The first workaround that changes anything here and, where the trouble is certain, leads into no other."""
    for each in entry.workarounds:
        if not each.settings:
            return _as_fix(each)
        if all(plain(facts.get(name).value) == plain(value) for name, value in each.settings.items()):
            continue
        if not definite or is_free(registry, facts, each.settings, entry.severity, _may_be_definite):
            return _as_fix(each)
    return None


def _as_fix(workaround: Workaround) -> Fix:
    text = f"{workaround.text} (cost: {workaround.cost})" if workaround.cost else workaround.text
    if len(workaround.settings) == 1:
        (setting, value), *_ = workaround.settings.items()
        return Fix(text, setting, value)
    return Fix(text)
