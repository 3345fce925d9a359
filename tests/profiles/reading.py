"""What the static reader says of a file, put so that it can be held against what really started."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.load import LoadOptions, load
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given


@dataclass(frozen=True, slots=True)
class Reading:
    """One command of one server, as read: words, environment, the condition it runs under, the files it sees."""

    words: tuple[Word, ...]
    env: Mapping[str, Word | None]
    when: str | None
    files: FileView

    @property
    def argv(self) -> list[str]:
        return [word.text for word in self.words]

    @property
    def wildcards(self) -> int:
        """How many words hold something that cannot be known from the file."""
        return sum(map(unknown, self.words))

    def fits(self, argv: Sequence[str]) -> bool:
        """Whether ``argv`` is this command, with anything in the place of what cannot be known."""
        pattern = "".join(map(_pattern, self.words))
        return re.fullmatch(pattern, "".join(f"{word}\0" for word in argv), re.DOTALL) is not None


def read(path: Path, service: str | None = None) -> list[Reading]:
    """All commands of all servers that the reader finds in ``path`` (of one Compose service, if named), in order."""
    return [
        Reading(command.words, {**profile.env, **command.env}, command.when or profile.when, profile.files)
        for profile in load([path], LoadOptions()).profiles
        if service is None or profile.service == service
        for command in profile.commands
    ]


def unknown(word: Word) -> bool:
    """Whether some part of ``word`` cannot be known from the file."""
    return any(reference.given is Given.UNKNOWN for reference in word.references)


def _pattern(word: Word) -> str:
    if not unknown(word):
        return re.escape(word.text) + "\0"
    pieces = _pieces(word.text)
    if len(pieces) == 1:  # nothing but the reference: unquoted, it may give any number of words
        return "(?:[^\0]*\0)*?"
    return "".join("[^\0]*" if is_reference else re.escape(text) for text, is_reference in pieces) + "\0"


def _pieces(text: str) -> list[tuple[str, bool]]:
    """``text`` in pieces, each with whether it is a reference: ``$A``, ``${A}``, ``$(a)``, a backtick pair, ``~``."""
    pieces: list[tuple[str, bool]] = []
    start = at = 0
    while at < len(text):
        end = _reference_end(text, at)
        if end == at:
            at += 1
            continue
        if start < at:
            pieces.append((text[start:at], False))
        pieces.append((text[at:end], True))
        start = at = end
    if start < len(text):
        pieces.append((text[start:], False))
    return pieces if any(is_reference for _, is_reference in pieces) else [(text, True)]


def _reference_end(text: str, at: int) -> int:
    if text[at] == "~" and at == 0:
        found = re.compile(r"~[\w.-]*").match(text)
        return found.end() if found else at
    if text[at] == "`":
        closing = text.find("`", at + 1)
        return closing + 1 if closing != -1 else at
    if text[at] != "$" or at + 1 == len(text):
        return at
    opening = text[at + 1]
    if opening not in "({":
        found = re.compile(r"\$(?:\w+|[@*#?!$-])").match(text, at)
        return found.end() if found else at
    closing, depth = {"(": ")", "{": "}"}[opening], 0
    for position in range(at + 1, len(text)):
        depth += (text[position] == opening) - (text[position] == closing)
        if depth == 0:
            return position + 1
    return at
