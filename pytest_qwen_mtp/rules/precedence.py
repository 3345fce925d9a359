"""One finding for one fault: where a rule and a registry entry say the same about the same option."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_qwen_mtp.engines.model import OptionProblem
from pytest_qwen_mtp.findings import Certainty, Finding, Place
from pytest_qwen_mtp.profiles.model import Word

if TYPE_CHECKING:
    from pytest_qwen_mtp.registry.load import Registry

GONE = frozenset({"removed-flag", "renamed-flag", "not-yet-flag", "unknown-flag"})
"""Rules that say of an option that the release does not have it."""


def one_of_each(
    bugs: Sequence[Finding], others: Sequence[Finding], registry: Registry, words: Sequence[Word]
) -> list[Finding]:
    """``bugs`` of the registry and ``others`` of the rules for one command, each fault once.

    An entry names in its field ``rule`` the rule that finds the same by the release's own tables. Where both point to
    one option the finding keeps the rule's id and item, which hold for every option, and takes over what the entry
    knows beyond that: its sentence, its change, its references. The entry's id becomes an alias.
    """
    if not bugs or not others:
        return [*bugs, *others]
    kept = list(others)
    found: list[Finding] = []
    options: dict[Place, Place] | None = None
    for bug in bugs:
        entry = registry.get(bug.rule)
        rule = entry.rule if entry is not None else None
        if rule is not None:
            options = option_places(words) if options is None else options
            at = options.get(bug.place, bug.place)
            index = next((i for i, each in enumerate(kept) if each.rule == rule and _at(each, options) == at), None)
            if index is not None:
                kept[index] = _both(kept[index], bug)
                continue
        found.append(bug)
    return [*found, *kept]


def option_places(words: Sequence[Word]) -> dict[Place, Place]:
    """Place of a word → place of the option that it stands behind."""
    found: dict[Place, Place] = {}
    option: Place | None = None
    for word in words:
        if word.text.startswith("-") or option is None:
            option = word.place
        found[word.place] = option
    return found


def causes(problems: Sequence[OptionProblem], words: Sequence[Word]) -> list[OptionProblem]:
    """``problems`` without those that only follow from another.

    The value of an option that the release does not have no longer matters; and a word that is left over behind a
    value that cannot be read is a piece of it, as when a JSON value lost its quotes and was split.
    """
    gone = {each.option for each in problems if each.kind in GONE and each.option is not None}
    refused = [each for each in problems if each.kind.startswith("invalid-")]
    if not refused:
        return list(problems)
    options = option_places(words)
    broken = {options.get(each.place, each.place) for each in refused}
    return [
        each
        for each in problems
        if not (each.kind == "invalid-flag-value" and each.option in gone)
        and not (each.kind == "unknown-flag" and each.option is None and options.get(each.place) in broken)
    ]


def _at(finding: Finding, options: dict[Place, Place]) -> Place:
    return options.get(finding.place, finding.place)


def _both(rule: Finding, bug: Finding) -> Finding:
    sure = Certainty.DEFINITE in (rule.certainty, bug.certainty)
    return replace(
        rule,
        severity=max(rule.severity, bug.severity),
        certainty=Certainty.DEFINITE if sure else Certainty.POSSIBLE,
        message=bug.message,
        why=tuple(dict.fromkeys((*rule.why, *bug.why))),
        fix=bug.fix or rule.fix,
        references=tuple(dict.fromkeys((*rule.references, *bug.references))),
        aliases=tuple(dict.fromkeys((*rule.aliases, bug.rule, *bug.aliases))),
    )
