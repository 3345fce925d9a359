"""Short ways to read a command line in these tests."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from pytest_qwen_mtp.engines.model import Settings
from pytest_qwen_mtp.engines.settings import read_settings
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.files import NO_FILES, FileView
from pytest_qwen_mtp.profiles.model import Engine, Word
from pytest_qwen_mtp.profiles.text import Given, Reference

PATH = "serve.sh"


def words(command: str) -> list[Word]:
    """The words of ``command``; word n stands at line 1, column n. ``${NAME}`` in a word is an unresolved variable."""
    made = []
    for column, text in enumerate(shlex.split(command), start=1):
        place = Place(PATH, 1, column)
        name = text.partition("${")[2].partition("}")[0]
        references = (Reference(name, place, Given.UNKNOWN),) if name else ()
        made.append(Word(text, place, references))
    return made


def variables(env: Mapping[str, str | None] | None) -> dict[str, Word | None]:
    return {name: None if value is None else Word(value, Place("env", 1, 1)) for name, value in (env or {}).items()}


def settings(
    command: str,
    version: str | None = "0.32.0",
    env: Mapping[str, str | None] | None = None,
    files: FileView = NO_FILES,
    engine: Engine = "vllm",
) -> Settings:
    return read_settings(engine, version, words(command), variables(env), files)


def value(command: str, name: str, version: str | None = "0.32.0", **more: Any) -> Any:
    return settings(command, version, **more).value(name)


def kinds(command: str, version: str | None = "0.32.0", **more: Any) -> list[str]:
    return [problem.kind for problem in settings(command, version, **more).problems]
