"""Shell scripts that start an inference server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pytest_qwen_mtp.findings import Place, Severity
from pytest_qwen_mtp.profiles.assemble import Stated, servers
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.model import Loaded, Problem, Word
from pytest_qwen_mtp.profiles.shell.branches import Decisions
from pytest_qwen_mtp.profiles.shell.interpreter import parse
from pytest_qwen_mtp.profiles.shell.lints import lint
from pytest_qwen_mtp.profiles.shell.state import Program
from pytest_qwen_mtp.profiles.start import Follower
from pytest_qwen_mtp.profiles.text import Given, Reference, SourceText

_ENGINE = re.compile(r"\bvllm\b|\bsglang\b|llama-server|llama\.cpp", re.IGNORECASE)


def load_script(path: Path, text: str, stated: Stated, environment: Mapping[str, str] | None = None) -> Loaded:
    """The servers that the script ``text`` at ``path`` starts when called without arguments."""
    source = SourceText.of_file(text, str(path))
    place = Place(str(path), 1, 1)
    folder = path.parent
    inside = str(folder.absolute())
    files = FileView({inside: folder}, directory=inside)
    name = Word(str(path.absolute()), place)
    outside: dict[str, Word | None] = {}
    for key, value in (environment or {}).items():
        outside[key] = Word(value, place, (Reference(key, place, Given.ENVIRONMENT),))

    def run(decisions: Decisions) -> Follower:
        follower = Follower(decisions, folder)
        follower.run_script(source, Program((name,), outside, files, place))
        return follower

    profiles, not_seen = servers(str(path), None, place, run, stated)
    problems = [] if profiles else _broken_starts(source)
    _, error = parse(text)
    if error is not None:
        problems.append(
            Problem(
                "invalid-shell",
                source.place(error.offset),
                f"bash cannot read this script from here on: {error.message}",
                "Close what is open, or take out what does not belong here; `bash -n FILE` names the same place.",
                Severity.HIGH,
            )
        )
    return Loaded(str(path), tuple(profiles), tuple(problems), tuple(not_seen))


def _broken_starts(source: SourceText) -> list[Problem]:
    """Commands that end too early to start the engine that the lines below them name."""
    text, problems = source.text, []
    for each in lint(source.text):
        end = text.find("\n\n", each.offset)
        if each.commands and _ENGINE.search(text, each.commands[0], len(text) if end == -1 else end):
            problems.append(Problem(each.kind, source.place(each.offset), each.message, each.fix))
    return problems
