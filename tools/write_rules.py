#!/usr/bin/env python3
"""Writes docs/rules: a page for each rule and known bug, and an index by release.

    tools/write_rules.py            # writes what is not as it would be written now, removes what has no rule any more
    tools/write_rules.py --check    # exit code 1 where a page is not what it would be

The pages hold what ``qwen-mtp explain`` prints; the releases are those of the engine catalogues.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from packaging.version import Version

from pytest_qwen_mtp.engines import catalogue
from pytest_qwen_mtp.profiles.model import Engine
from pytest_qwen_mtp.registry.load import Registry, load_registry
from pytest_qwen_mtp.registry.ranges import ENGINE_NAMES
from pytest_qwen_mtp.rules.explain import Line, explain, list_all, of_release

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "rules"
NOTE = "This page is written by `tools/write_rules.py`."
CATALOGUED: tuple[Engine, ...] = ("vllm", "sglang")
HEAD = f"""\
# Rules and known bugs

What the gate can say, one page each; `qwen-mtp explain ID` prints the same. {NOTE}

## I run this release with MTP; what should I know?

The pages list what holds for a release and what may hold for it. What a file really meets depends on its settings:
`pytest --mtp-profiles FILE` says that, and `qwen-mtp rules --engine ENGINE --version RELEASE` prints these lists.

"""


def pages() -> dict[str, str]:
    """The text of every page by its name in docs/rules."""
    registry = load_registry()
    lines = list_all(registry)
    found = {f"{line.id}.md": explain(line.id, registry) or "" for line in lines}
    for engine in CATALOGUED:
        found[f"releases-{engine}.md"] = releases_page(registry, engine)
    found["README.md"] = index(lines)
    return found


def index(lines: Sequence[Line]) -> str:
    """The list of all ids, and where the releases are."""
    text = HEAD
    for engine in CATALOGUED:
        versions = catalogue.load(engine).versions
        links = " · ".join(f"[{each}](releases-{engine}.md#{anchor(engine, each)})" for each in reversed(versions))
        text += f"**{ENGINE_NAMES[engine]}**: {links}\n\n"
    text += "llama.cpp has builds instead of releases: each page says which.\n\n"
    titles = {"known bug": "Known bugs", "rule": "Rules", "checkpoint": "Checkpoints", "file": "Files"}
    for kind, group in groupby(lines, key=lambda line: line.kind):
        text += f"## {titles[kind]}\n\n| id | engine | severity | what |\n|---|---|---|---|\n"
        text += "".join(
            f"| [{each.id}]({each.id}.md) | {ENGINE_NAMES.get(each.engine or '', 'all')} |"
            f" {each.severity or 'as found'} | {cell(each.title)} |\n"
            for each in group
        )
        text += "\n"
    return text.rstrip("\n") + "\n"


def anchor(engine: str, version: str) -> str:
    """The name of the heading of a release, by GitHub's rule."""
    return f"{ENGINE_NAMES[engine]} {version}".lower().replace(".", "").replace(" ", "-")


def releases_page(registry: Registry, engine: Engine) -> str:
    """For each release, newest first, the known bugs that hold and that may hold, and what is new and gone in it."""
    name = ENGINE_NAMES[engine]
    versions = sorted(catalogue.load(engine).versions, key=Version)
    text = (
        f"# {name} with MTP, by release\n\n{NOTE}\n*May hold*: seen in other releases; nobody knows about this one.\n"
    )
    sections: list[str] = []
    before: set[str] | None = None
    for version in versions:
        lines = of_release(registry, engine, version)
        known = {line.id for line in lines}
        now = {line.id for line in lines if line.holds == "holds"}
        section = f"\n## {name} {version}\n\n"
        if before is not None:
            section += f"New: {linked(sorted(now - before))}. Gone: {linked(sorted(before - known))}.\n\n"
        critical = [line for line in lines if line.holds == "holds" and line.severity == "critical"]
        section += "".join(f"- critical: {linked([line.id])}: {line.title}\n" for line in critical)
        rest = [line for line in lines if line not in critical]
        section += "".join(f"- {title}: {linked(ids)}\n" for title, ids in grouped(rest))
        sections.append(section)
        before = now
    return text + "".join(reversed(sections))


def grouped(lines: Sequence[Line]) -> list[tuple[str, list[str]]]:
    """The ids by severity; those that may hold come last."""
    found: dict[str, list[str]] = {}
    for line in lines:
        title = str(line.severity) if line.holds == "holds" else "may hold"
        found.setdefault(title, []).append(line.id)
    return [(title, sorted(ids)) for title, ids in found.items()]


def linked(ids: Sequence[str]) -> str:
    return ", ".join(f"[{each}]({each}.md)" for each in ids) or "nothing"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: Sequence[str] | None = None, folder: Path = FOLDER) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where something would change")
    check = parser.parse_args(arguments).check
    wanted = pages()
    folder.mkdir(parents=True, exist_ok=True)
    here = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    changed = [name for name in sorted(wanted.keys() | here.keys()) if wanted.get(name) != here.get(name)]
    for name in changed:
        text = wanted.get(name)
        print(f"docs/rules/{name} {'is not up to date' if check else 'removed' if text is None else 'written'}")
        if check:
            continue
        if text is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(text, encoding="utf-8")
    return int(check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
