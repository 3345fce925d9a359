"""A ``docker build`` line → the Dockerfile it reads and the names that the image gets.

Options by the command line references of Docker 28 (``docker build``, ``docker buildx build``) and Podman 5.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_qwen_mtp.profiles.model import Word

_TOOLS: Final = frozenset(("docker", "podman", "nerdctl", "buildah"))
_SWITCHES: Final = re.compile(
    r"--(?:load|push|no-cache|pull|quiet|rm|force-rm|squash|compress|check|debug|layers)|-[qD]"
)


@dataclass(frozen=True, slots=True)
class ContainerBuild:
    """``file`` is None where the Dockerfile comes from the input; ``context`` is None then, too."""

    tags: tuple[Word, ...]
    file: Word | None
    context: Word | None
    args: Mapping[str, Word | None]
    target: Word | None = None


def image_name(text: str) -> str:
    """The name under which a build is found again: ``a`` is ``a:latest``, and ``localhost/`` means nothing."""
    name = text.removeprefix("localhost/")
    return name if ":" in name.rpartition("/")[2] or "@" in name else f"{name}:latest"


def read_build(words: Sequence[Word]) -> ContainerBuild | None:
    """What ``words`` (from the program on) build; None where they build nothing."""
    if not words or os.path.basename(words[0].text) not in _TOOLS:
        return None
    texts = [word.text for word in words[1:4]]
    behind = 1 + (texts[:2] in (["buildx", "build"], ["image", "build"], ["builder", "build"]))
    if texts[:1] not in (["build"], ["bud"]) and behind == 1:
        return None
    tags: list[Word] = []
    args: dict[str, Word | None] = {}
    file = target = context = None
    index = behind + 1
    while index < len(words):
        word = words[index]
        index += 1
        if not word.text.startswith("-") or word.text == "-":
            context = word
            continue
        if _SWITCHES.fullmatch(word.text):
            continue
        name, equals, text = word.text.partition("=")
        value = replace(word, text=text, source=None)
        if not word.text.startswith("--") and len(word.text) > 2:
            name, value = word.text[:2], replace(word, text=word.text[2:].removeprefix("="), source=None)
        elif not equals and index < len(words):
            value = words[index]
            index += 1
        if name in ("-t", "--tag"):
            tags.append(value)
        elif name in ("-f", "--file"):
            file = value
        elif name == "--target":
            target = value
        elif name == "--build-arg":
            variable, given, text = value.text.partition("=")
            args[variable] = replace(value, text=text, source=None) if given else None
    if context is None or (context.text == "-" and file is None):
        return ContainerBuild(tuple(tags), None, None, args, target)
    if file is not None and file.text == "-":
        return ContainerBuild(tuple(tags), None, context, args, target)
    if file is None:
        file = replace(context, text=f"{context.text.rstrip('/') or '/'}/Dockerfile", source=None)
    return ContainerBuild(tuple(tags), file, context, args, target)
