"""Shell text of a RUN line → the engine release that it installs.

Forms by the pip documentation: ``vllm==0.26.0`` (with extras), a wheel file or URL whose name holds the release
(PEP 427), ``git+https://…@v0.26.0``, ``-r FILE``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pytest_qwen_mtp.profiles.model import Engine, Evidence
from pytest_qwen_mtp.profiles.text import SourceText

_INSTALL = re.compile(r"(?:^|\s)(?:install|add|sync)(?=\s)")
_UPGRADE = re.compile(r"\s(?:-\w*U\w*|--upgrade\S*|--force-reinstall|--reinstall\S*|--refresh)(?=\s|$)")
_SEGMENT = re.compile(r"&&|\|\||[;|\n]")
_TOKEN = re.compile(r"(?:[^\s\"']|\"[^\"]*\"|'[^']*')+")
_REQUIREMENT = re.compile(r"(vllm(?:-cpu)?|sglang)(?:\[[^\]]*\])?\s*(?:(===?|[<>~!]=?|@)\s*([^\s;,#]*)(.*))?$", re.I)
_WHEEL = re.compile(
    r"(?:^|/)(vllm(?:_cpu)?|sglang)-(\d[\w.!]*?)(?:(?:\+|%2[bB])[\w.]+)?(?:-\d+\w*)?-(?:cp|py)\d[\w.]*-", re.I
)
_GIT = re.compile(r"github\.com[/:](?:vllm-project/(vllm)|sgl-project/(sglang))(?:\.git)?(?:@v?([\w.]+))?(?=$|[#\s])")
_RELEASE = re.compile(r"\d+\.\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.?post\d+)?(?:\.dev\d+)?$")


@dataclass(frozen=True, slots=True)
class PipPin:
    """An engine that is installed by pip; ``version`` is None where the line does not fix one.

    ``replaces``: whether this changes a release that is already there. ``pip install vllm`` without more keeps it.
    """

    engine: Engine
    version: str | None
    evidence: Evidence
    replaces: bool


def read_pins(text: SourceText, read_file: Callable[[str], SourceText | None]) -> list[PipPin]:
    """What the shell text of one RUN installs, in order. ``read_file`` gives requirement files by their path."""
    if "vllm" not in text.text and "sglang" not in text.text and "-r" not in text.text:
        return []
    found: list[PipPin] = []
    start = 0
    for end in [match.start() for match in _SEGMENT.finditer(text.text)] + [len(text.text)]:
        segment = text.text[start:end]
        install = _INSTALL.search(segment)
        if install is not None:
            found += _segment(text, start + install.end(), end, read_file)
        start = end + 1
    return found


def _segment(text: SourceText, start: int, end: int, read_file: Callable[[str], SourceText | None]) -> list[PipPin]:
    found: list[PipPin] = []
    upgrade = _UPGRADE.search(text.text, start, end) is not None
    expects = ""
    for match in _TOKEN.finditer(text.text, start, end):
        token = match[0].replace('"', "").replace("'", "")
        if expects:
            if expects in ("-r", "--requirement", "--requirements"):
                found += _requirements(token, upgrade, read_file)
            expects = ""
        elif token in ("-r", "--requirement", "--requirements", "-c", "--constraint", "-i", "--index-url", "-t"):
            expects = token
        elif token.startswith("--requirement="):
            found += _requirements(token.partition("=")[2], upgrade, read_file)
        elif token.startswith("-r") and len(token) > 2:
            found += _requirements(token[2:], upgrade, read_file)
        elif not token.startswith("-"):
            pin = _pin(token, upgrade, text, match.start())
            if pin is not None:
                found.append(pin)
    return found


def _requirements(path: str, upgrade: bool, read_file: Callable[[str], SourceText | None]) -> list[PipPin]:
    listed = read_file(path)
    if listed is None:
        return []
    found: list[PipPin] = []
    offset = 0
    for line in listed.text.splitlines(keepends=True):
        bare = line.split(" #", 1)[0].strip()
        if bare and not bare.startswith(("#", "-")):
            pin = _pin(bare, upgrade, listed, offset + len(line) - len(line.lstrip()))
            if pin is not None:
                found.append(pin)
        offset += len(line)
    return found


def _pin(token: str, upgrade: bool, text: SourceText, offset: int) -> PipPin | None:
    place = text.place(offset)
    wheel = _WHEEL.search(token)
    if wheel is not None:
        return _made(wheel[1], wheel[2], True, Evidence(f"wheel {token.rpartition('/')[2]}", place))
    git = _GIT.search(token)
    if git is not None:
        name = git[1] or git[2]
        said = f"pip installs {name} from its repository at {git[3] or 'the head'}"
        return _made(name, git[3] or "", True, Evidence(said, place))
    requirement = _REQUIREMENT.match(token)
    if requirement is None:
        return None
    exact = requirement[2] in ("==", "===")
    version = requirement[3] if exact else ""
    said = f"pip installs {token}" if exact else f"pip installs {token}, which fixes no release"
    return _made(requirement[1], version, upgrade or requirement[2] is not None, Evidence(said, place))


def _made(name: str, version: str, replaces: bool, evidence: Evidence) -> PipPin:
    engine: Engine = "sglang" if name.lower() == "sglang" else "vllm"
    public = version.partition("+")[0]
    return PipPin(engine, public if _RELEASE.match(public) else None, evidence, replaces)
