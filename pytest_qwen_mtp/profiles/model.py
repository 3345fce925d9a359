"""What a deployment file starts: words with places, commands with conditions, services with evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_qwen_mtp.findings import Place, Severity
from pytest_qwen_mtp.profiles.files import NO_FILES, FileView
from pytest_qwen_mtp.profiles.text import Reference, SourceText

Engine = Literal["vllm", "sglang", "llamacpp"]


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command, or one value: its text, where it stands, and the references that filled it in.

    A reference that nothing resolves is in ``unresolved``; the text then holds what the reader of the file would
    make of it (empty for an unset variable) or the reference as written (a command substitution).
    """

    text: str
    place: Place
    references: tuple[Reference, ...] = ()
    source: SourceText | None = field(default=None, compare=False, repr=False)
    """The same text with the place of every character, where the word is a whole scalar (a script, say)."""

    @property
    def unresolved(self) -> tuple[Reference, ...]:
        return tuple(reference for reference in self.references if not reference.resolved)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why we think so: a sentence and the place it was read from."""

    text: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """What the engine process gets. ``when`` is None for what starts with nothing set, else the branch's condition.

    ``env`` maps a variable to its value, or to None where it is handed through without one. ``mistakes`` are those that
    only the text of the shell script around the command shows.
    """

    words: tuple[Word, ...]
    env: Mapping[str, Word | None] = field(default_factory=dict)
    when: str | None = None
    place: Place | None = None
    mistakes: tuple[Problem, ...] = ()

    @property
    def argv(self) -> list[str]:
        return [word.text for word in self.words]


@dataclass(frozen=True, slots=True)
class ServeProfile:
    """One inference server that a file starts.

    ``stated`` is the user's own ``x-qwen-mtp`` block (or the native file's fields): plain values, and under ``ignore``
    the findings that the user accepts (``profiles.stated.Ignored``).
    ``files`` answers which text lies at a path that the engine process sees (mounts, copies, written files).
    ``base``: what the Dockerfile starts from, where ``image`` only names the result of a build.
    ``gpus``: how many cards the process is given, None where nothing says so or all of the machine's.
    """

    path: str
    service: str | None
    place: Place
    engine: Engine
    engine_evidence: Evidence
    version: str | None
    version_evidence: Evidence
    image: Word | None
    commands: tuple[Command, ...]
    env: Mapping[str, Word | None] = field(default_factory=dict)
    unresolved: tuple[Reference, ...] = ()
    stated: Mapping[str, Any] = field(default_factory=dict)
    files: FileView = NO_FILES
    when: str | None = None
    base: Word | None = None
    gpus: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the file itself. ``kind`` is the rule id of the finding it becomes."""

    kind: str
    place: Place
    message: str
    fix: str | None = None
    severity: Severity = Severity.HIGH


@dataclass(frozen=True, slots=True)
class NotSeen:
    """Something that was not read or could not be followed, and why."""

    what: str
    place: Place


@dataclass(frozen=True, slots=True)
class Loaded:
    """All that one file gave. ``others`` are the names of services that are no inference server, ``files`` the paths of
    the Compose files that were read (included, extended and override files too)."""

    path: str
    profiles: tuple[ServeProfile, ...] = ()
    problems: tuple[Problem, ...] = ()
    not_seen: tuple[NotSeen, ...] = ()
    others: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
