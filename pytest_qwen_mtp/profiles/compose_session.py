"""What one call of the resolver gathers on its way: problems, what was not seen, variables, and files read once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.interpolation import Variable
from pytest_qwen_mtp.profiles.model import NotSeen, Problem
from pytest_qwen_mtp.profiles.yamltree import Tree, Unreadable, read_text, read_yaml

GROWTH_LIMIT = 20_000_000
"""Characters that variables may add to all texts of one resolution together."""


class Session:
    """The notes of one resolution. A file is read once, whoever asks for it."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.not_seen: list[NotSeen] = []
        self.variables: list[Variable] = []
        self.files: list[str] = []
        self.grown = 0
        self._trees: dict[str, Tree | None] = {}
        self._texts: dict[str, str | None] = {}

    def refuse(self, place: Place, message: str, fix: str | None = None) -> None:
        """Notes something that Compose refuses."""
        self.problems.append(Problem("invalid-compose", place, message, fix))

    def may_grow(self, place: Place) -> bool:
        """Whether variables may still be filled in; notes it once where they may not."""
        if self.grown > GROWTH_LIMIT:
            if not any(problem.kind == "too-large" for problem in self.problems):
                message = f"the variables of this file add more than {GROWTH_LIMIT:,} characters to it"
                self.problems.append(Problem("too-large", place, message, "Shorten their values."))
            return False
        return True

    def unseen(self, place: Place, what: str) -> None:
        """Notes something that was not read or cannot be followed."""
        self.not_seen.append(NotSeen(what, place))

    def tree(self, path: Path) -> Tree | None:
        """The YAML file at ``path``; None where it is unreadable, which is noted then."""
        name = str(path)
        if name not in self._trees:
            self._trees[name] = None
            try:
                tree = read_yaml(path)
            except Unreadable as error:
                self.problems.append(error.problem)
            else:
                self._trees[name] = tree
                self.problems.extend(tree.problems)
                self.files.append(name)
        return self._trees[name]

    def text(self, path: Path) -> str | None:
        """The text of ``path``; None where it is unreadable, which is noted then."""
        name = str(path)
        if name not in self._texts:
            self._texts[name] = None
            try:
                self._texts[name] = read_text(path)
            except Unreadable as error:
                self.problems.append(error.problem)
        return self._texts[name]


def once(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems without repetition, in order."""
    return tuple(dict.fromkeys(problems))
