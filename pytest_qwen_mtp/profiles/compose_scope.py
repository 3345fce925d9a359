"""Which variables a Compose file may use: the environment handed in, then ``.env``, then the project's own name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from pytest_qwen_mtp.profiles.compose_session import Session
from pytest_qwen_mtp.profiles.dotenv import read_env_text
from pytest_qwen_mtp.profiles.interpolation import Value
from pytest_qwen_mtp.profiles.text import Given, SourceText


class Scope:
    """The variables that hold in a file. What is given earlier wins, as in Compose."""

    __slots__ = ("_name", "values")

    def __init__(self, values: dict[str, Value], name: Callable[[], str]) -> None:
        self.values = values
        self._name = name

    @classmethod
    def of_environment(cls, environment: Mapping[str, str], name: Callable[[], str]) -> Scope:
        """The scope of the process environment alone. ``name`` gives the project's name when it is asked for."""
        return cls({key: Value(text, Given.ENVIRONMENT) for key, text in environment.items()}, name)

    def lookup(self, name: str) -> Value | None:
        """The value of a variable, or None where nothing sets it."""
        value = self.values.get(name)
        if value is None and name == "COMPOSE_PROJECT_NAME":
            return Value(self._name(), Given.FILE)
        return value

    def with_files(self, paths: Iterable[Path], session: Session) -> Scope:
        """This scope and what the environment files at ``paths`` add to it, the last of them first."""
        added: dict[str, Value] = {}
        texts: dict[str, SourceText] = {}
        for path in paths:
            text = session.text(path)
            if text is None:
                continue
            result = read_env_text(text, str(path), self.values.get, texts.get)
            session.problems.extend(result.problems)
            session.variables.extend(result.variables)
            texts |= result.values
            for key, value in result.values.items():
                added[key] = Value(value.text, Given.FILE, result.places[key])
        return Scope({**added, **self.values}, self._name) if added else self


def normal_name(text: str) -> str:
    """A folder's name as Compose makes a project name of it (compose-go 2.16, ``NormalizeProjectName``)."""
    return re.sub("[^a-z0-9_-]", "", text.lower()).lstrip("_-")
