#!/usr/bin/env python3
"""Writes the parts of the documentation that follow from the code.

    tools/write_docs.py            # docs/options.md, and the output in the console blocks of all pages
    tools/write_docs.py --check    # exit code 1 where a page is not what it would be

The options come from the plugin's own definitions, the output from running the blocks' commands on ``examples``.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_qwen_mtp.plugin import pytest_addoption

ROOT = Path(__file__).resolve().parent.parent
CONSOLE = re.compile(r"(^```console\n\$ ([^\n]*)\n)(.*?)(^```$)", re.S | re.M)
KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG")
DURATION = re.compile(r" in \d+\.\d+s\b")
HEAD = """\
# Options

All options of the plugin, as `pytest --help` has them under *qwen-mtp*. [usage.md](usage.md) says how they are used.
This page is written by `tools/write_docs.py`.

| on the command line | what it does |
|---|---|
"""
INI = """
In the ini file (`pytest.ini`, `pyproject.toml`), relative paths count from that file. What the command line gives wins.

| key | kind | where it is not given | what it does |
|---|---|---|---|
"""


@dataclass
class Recorder:
    """Stands in for pytest's parser and its group: keeps what the plugin defines."""

    options: list[tuple[tuple[str, ...], Mapping[str, Any]]] = field(default_factory=list)
    keys: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)

    def getgroup(self, *_: Any, **__: Any) -> Recorder:
        return self

    def addoption(self, *names: str, **attributes: Any) -> None:
        self.options.append((names, attributes))

    def addini(self, name: str, help: str, **attributes: Any) -> None:
        self.keys.append((name, help, attributes))


def recorded() -> Recorder:
    """The options and ini keys of the plugin."""
    recorder = Recorder()
    pytest_addoption(recorder)  # type: ignore[arg-type]
    return recorder


def options_page() -> str:
    """The text of docs/options.md."""
    known = recorded()
    options = "".join(
        f"| `{' '.join([', '.join(names), _metavar(attributes)]).strip()}` | {_cell(attributes['help'])} |\n"
        for names, attributes in known.options
    )
    keys = "".join(
        f"| `{name}` | {attributes.get('type') or 'string'} | {_default(attributes)} | {_cell(text)} |\n"
        for name, text, attributes in known.keys
    )
    return HEAD + options + INI + keys


def _metavar(attributes: Mapping[str, Any]) -> str:
    if "choices" in attributes:
        return "{" + ",".join(attributes["choices"]) + "}"
    return str(attributes.get("metavar", ""))


def _default(attributes: Mapping[str, Any]) -> str:
    default = attributes.get("default")
    return "nothing" if default is None else f"`{str(default).lower()}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def with_output(text: str) -> str:
    """A page with the output of the command of each console block as it is now."""
    return CONSOLE.sub(lambda match: match[1] + output_of(match[2]) + match[4], text)


def output_of(command: str) -> str:
    """What ``pytest …`` or ``qwen-mtp …`` prints in a folder that holds only ``examples``; durations are 0.10s."""
    program, *words = shlex.split(command)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        done = subprocess.run(
            [str(Path(sys.executable).parent / program), *words],
            cwd=folder,
            env={**{name: os.environ[name] for name in KEPT if name in os.environ}, "COLUMNS": "80"},
            capture_output=True,
            text=True,
            check=False,
        )
    return DURATION.sub(" in 0.10s", done.stdout)


def written() -> dict[Path, str]:
    """Every page that holds something written by this tool, with the text that it should have."""
    folders = (ROOT, ROOT / "docs", ROOT / "examples")
    texts = {path: path.read_text(encoding="utf-8") for folder in folders for path in sorted(folder.glob("*.md"))}
    pages = {path: with_output(text) for path, text in texts.items() if CONSOLE.search(text)}
    return {**pages, ROOT / "docs" / "options.md": options_page()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where something would change")
    check = parser.parse_args().check
    pages = written()
    old = [path for path, text in pages.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in old:
        print(f"{path.relative_to(ROOT)} {'is not up to date' if check else 'written'}")
        if not check:
            path.write_text(pages[path], encoding="utf-8")
    return int(check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
