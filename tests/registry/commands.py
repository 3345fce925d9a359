"""A command line as the registry sees it: words with places, settings, model."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from pytest_qwen_mtp.engines.family import identify_model
from pytest_qwen_mtp.engines.settings import read_settings
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.files import NO_FILES
from pytest_qwen_mtp.profiles.model import Engine, Word
from pytest_qwen_mtp.registry.entry import Example
from pytest_qwen_mtp.registry.facts import Subject


def words_of(command: str, path: str = "serve.sh") -> list[Word]:
    """The words of ``command``, each at its own column of line 1."""
    words, column = [], 1
    for text in shlex.split(command):
        found = command.find(text, column - 1)
        column = found + 1 if found >= 0 else column
        words.append(Word(text, Place(path, 1, column)))
    return words


def subject_of(
    engine: Engine,
    command: str,
    version: str | None = None,
    model: str | None = None,
    env: Mapping[str, str] | None = None,
    image: str | None = None,
    platform: str | None = "cuda",
    gpu: str | None = None,
    checkpoint: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
) -> Subject:
    """The subject for ``command``, whose leading ``NAME=value`` words are environment. ``model`` says what MODEL is."""
    words = words_of(command)
    variables: dict[str, Word | None] = {name: Word(value, Place("env", 1, 1)) for name, value in (env or {}).items()}
    while words and "=" in words[0].text and not words[0].text.startswith("-"):
        name, _, value = words[0].text.partition("=")
        variables[name] = Word(value, words.pop(0).place)
    settings = read_settings(engine, version, words, variables, NO_FILES)
    named = settings.known.get("model")
    name = model or (named.value if named is not None and isinstance(named.value, str) else None)
    return Subject(
        engine=engine,
        version=version,
        settings=settings,
        model=identify_model(name, config),
        place=Place("serve.sh", 1, 1),
        version_evidence="stated",
        image=image,
        platform=platform,
        gpu=gpu,
        env=variables,
        words=words,
        checkpoint=checkpoint or {},
        service="server",
    )


def subject_of_example(engine: Engine, example: Example, version: str | None = None) -> Subject:
    return subject_of(
        engine,
        example.command,
        version or example.version,
        example.model,
        example.env,
        example.image,
        None if example.platform == "unknown" else example.platform or "cuda",
        example.gpu,
        example.checkpoint,
        example.config,
    )
