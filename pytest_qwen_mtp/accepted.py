"""Which findings of a file its suppressions accept, and what there is to say about the suppressions themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from pytest_qwen_mtp.findings import Certainty, Finding, Fix, Place, Severity
from pytest_qwen_mtp.rules.checkpoints import CHECKPOINTS
from pytest_qwen_mtp.rules.problems import PROBLEMS
from pytest_qwen_mtp.suppressions import Suppression

if TYPE_CHECKING:
    from pytest_qwen_mtp.registry.load import Registry
    from pytest_qwen_mtp.rules.model import Rule

Findings = dict[str, list[Finding]]
"""The findings of one file by the name of the server, ``""`` for the file itself."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server, or with the name ``""`` the file itself: where it begins, and what its ``x-qwen-mtp`` accepts."""

    name: str
    service: str | None
    place: Place
    accepts: tuple[Suppression, ...] = ()


def id_of(name: str, registry: Registry, rules: Sequence[Rule]) -> str | None:
    """The id behind an id or alias, in any case; None where nothing has that name. A silenced entry keeps its own."""
    entry = registry.get(name)
    if entry is not None:
        return entry.id
    wanted = name.casefold()
    known = (*(rule.id for rule in rules), *PROBLEMS, *CHECKPOINTS, *(each.id for each in registry.silenced))
    return next((each for each in known if each.casefold() == wanted), None)


def suppress(
    findings: Mapping[str, Sequence[Finding]],
    servers: Sequence[Server],
    comments: Sequence[Suppression],
    own: Iterable[str],
    id_of: Callable[[str], str | None],
    today: date,
) -> Findings:
    """The findings with those marked that a suppression accepts, and with one for each thing wrong with a suppression.

    ``own``: the paths that were given; comments in other files may be there for another reader, so nobody is told
    that they are unused. ``id_of`` gives the id behind a name or alias, None for a name that nothing has.
    """
    used: set[tuple[Suppression, str]] = set()
    holding = {each.place: each for server in servers for each in server.accepts}
    told = [*comments, *holding.values()]
    valid = {each for each in told if each.wrong is None and each.reason is not None and not _is_over(each, today)}
    result: Findings = {}
    for server in servers:
        mine = [each for each in server.accepts if each in valid]
        result[server.name] = []
        for finding in findings.get(server.name, ()):
            by = [each for each in comments if each in valid and each.covers(finding.place)]
            accepted = finding
            for each in (*by, *mine):
                for rule in each.rules:
                    if _means(rule, finding, id_of):
                        used.add((each, rule))
                        if accepted.suppressed is None:
                            until = None if each.until is None else each.until.isoformat()
                            accepted = replace(finding, suppressed={"reason": each.reason, "until": until})
            result[server.name].append(accepted)
    given = set(own)
    for each in told:
        owner = _owner(each, servers)
        for rule, severity, message, fix in _wrong(each, used, id_of, today, each.place.path in given):
            result[owner.name].append(
                Finding(
                    rule=rule,
                    severity=severity,
                    certainty=Certainty.DEFINITE,
                    place=each.place,
                    message=message,
                    check="profile",
                    service=owner.service,
                    fix=Fix(fix),
                )
            )
    return result


def _is_over(suppression: Suppression, today: date) -> bool:
    return suppression.until is not None and suppression.until < today


def _means(name: str, finding: Finding, id_of: Callable[[str], str | None]) -> bool:
    known = id_of(name)
    return known is not None and (known == finding.rule or known in finding.aliases)


def _owner(suppression: Suppression, servers: Sequence[Server]) -> Server:
    """The server that the finding about a suppression is told with: the one that has it, or the one it stands in."""
    holders = [server for server in servers if suppression in server.accepts]
    if len(holders) == 1:
        return holders[0]
    place = suppression.place
    above = [
        server
        for server in servers
        if server.name and server.place.path == place.path and (server.place.line or 0) <= (place.line or 0)
    ]
    named = [server for server in servers if server.name]
    return max(above, key=lambda each: each.place.line or 0) if above else (named or list(servers))[0]


def _wrong(
    suppression: Suppression,
    used: set[tuple[Suppression, str]],
    id_of: Callable[[str], str | None],
    today: date,
    own: bool,
) -> Iterable[tuple[str, Severity, str, str]]:
    """``(rule, severity, message, change)`` of each thing that is wrong."""
    if suppression.wrong is not None:
        message = f"the suppression cannot be read: {suppression.wrong}"
        yield "suppression-invalid", Severity.MEDIUM, message, "correct its form; until then it does nothing"
        return
    ids = ", ".join(suppression.rules)
    for name in suppression.rules:
        if id_of(name) is None:
            message = f"the suppression names {name}, which is no rule and no known bug"
            yield "suppression-unknown-rule", Severity.MEDIUM, message, "correct the id; `qwen-mtp rules` lists them"
    if suppression.reason is None:
        message = f"the suppression of {ids} gives no reason, so it suppresses nothing"
        yield "suppression-without-reason", Severity.MEDIUM, message, "add `reason=` and say why"
    elif _is_over(suppression, today):
        message = f"the suppression of {ids} held until {suppression.until}; its findings count again"
        yield "suppression-expired", Severity.MEDIUM, message, "make the change that was put off, or set a later day"
    elif own:
        for name in suppression.rules:
            if id_of(name) is not None and (suppression, name) not in used:
                message = f"the suppression of {name} meets no finding"
                yield "suppression-unused", Severity.LOW, message, "take it away, or move it to the finding's line"
