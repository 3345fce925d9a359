"""Whether a workaround leads from one known trouble into another: the settings are changed and the entries asked again.

Only values that an entry names are changed here; what a release would make of the changed command line besides is
judged by ``qwen-mtp fix``, which reads the whole command again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pytest_qwen_mtp.engines.model import Origin, Setting
from pytest_qwen_mtp.findings import Severity
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.registry.entry import Entry
from pytest_qwen_mtp.registry.facts import Facts, Subject
from pytest_qwen_mtp.registry.load import Registry

OFF = ("speculative.method", None)
"""The change that takes speculation away: nothing about the draft is left then."""


def is_free(
    registry: Registry, facts: Facts, settings: Mapping[str, Any], severity: Severity, sure: Callable[[Entry], bool]
) -> bool:
    """Whether no entry of ``severity`` or above begins to hold for certain when ``settings`` are changed.

    ``sure``: whether an entry that holds may be called definite at all.
    """
    changed: Facts | None = None
    subject = facts.subject
    for entry, version in registry.candidates(subject.engine, subject.version):
        if entry.severity < severity:
            break  # they come worst first
        if version.holds is not True or not sure(entry) or entry.when.truth(facts) is True:
            continue
        changed = changed or Facts(with_settings(subject, settings))
        if entry.when.truth(changed) is True:
            return False
    return True


def with_settings(subject: Subject, settings: Mapping[str, Any]) -> Subject:
    """``subject`` as if the user had written ``settings``. ``env.NAME`` is a variable; None: not given."""
    known = dict(subject.settings.known)
    env = dict(subject.env)
    for name, value in settings.items():
        if name.startswith("env."):
            variable = name.removeprefix("env.")
            env.pop(variable, None)
            if value is not None:
                env[variable] = Word(str(value), subject.place)
            continue
        if (name, value) == OFF:
            known = {each: kept for each, kept in known.items() if not each.startswith("speculative.")}
        known[name] = Setting(name, value, Origin.GIVEN, "the change", subject.place)
    return replace(subject, settings=replace(subject.settings, known=known), env=env)
