"""Everything that has an id, and what each id means: registry entries, rules, problems of checkpoints and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_qwen_mtp.rules import RULES
from pytest_qwen_mtp.rules.checkpoints import CHECKPOINTS
from pytest_qwen_mtp.rules.model import Rule
from pytest_qwen_mtp.rules.page import Page
from pytest_qwen_mtp.rules.problems import PROBLEMS

if TYPE_CHECKING:
    from pytest_qwen_mtp.registry.load import Registry


@dataclass(frozen=True, slots=True)
class Line:
    """One id in the list of all.

    ``kind`` is ``known bug``, ``rule``, ``checkpoint`` or ``file``; ``engine`` None is every engine; ``severity`` None:
    each finding has its own. ``holds``: ``holds`` or ``may hold`` for the release that was asked for, where one was.
    """

    id: str
    kind: str
    engine: str | None
    severity: str | None
    title: str
    aliases: tuple[str, ...] = ()
    holds: str | None = None


def list_all(
    registry: Registry, rules: Sequence[Rule] = RULES, engine: str | None = None, version: str | None = None
) -> list[Line]:
    """Every id, known bugs first; with ``engine`` only what can be said about that engine, with ``version`` too only
    the known bugs of that release: worst first, those that may hold behind those that do."""
    if engine is not None and version is not None:
        bugs = of_release(registry, engine, version)
    else:
        bugs = [
            Line(entry.id, "known bug", entry.engine, str(entry.severity), entry.title, entry.aliases)
            for entry in sorted(registry.entries, key=lambda entry: entry.id)
            if engine is None or entry.engine == engine
        ]
    own = [Line(rule.id, "rule", None, str(rule.severity), rule.title) for rule in rules]
    pages = [
        Line(each.id, kind, None, None, each.title)
        for kind, pages in (("checkpoint", CHECKPOINTS), ("file", PROBLEMS))
        for each in pages.values()
    ]
    return bugs + own + pages


def of_release(registry: Registry, engine: str, version: str) -> list[Line]:
    """The known bugs that hold, or may hold, for one release: surest first, and the worst first among them."""
    found = sorted(registry.candidates(engine, version), key=lambda pair: pair[1].holds is not True)
    return [
        Line(
            entry.id,
            "known bug",
            entry.engine,
            str(entry.severity),
            entry.title,
            entry.aliases,
            "holds" if standing.holds else "may hold",
        )
        for entry, standing in found
    ]


def explain(name: str, registry: Registry, rules: Sequence[Rule] = RULES) -> str | None:
    """The page about an id or alias, in any case; None where nothing has that name."""
    entry = registry.get(name)
    if entry is not None:
        from pytest_qwen_mtp.registry.explain import explain as explain_entry

        return explain_entry(entry)
    wanted = name.casefold()
    for rule in rules:
        if rule.id == wanted:
            return f"# {rule.id}: {rule.title}\n\n{_page(rule.doc)}"
    page: Page | None = PROBLEMS.get(wanted) or CHECKPOINTS.get(wanted)
    return None if page is None else f"# {page.id}: {page.title}\n\n{_page(page.doc)}"


def _page(doc: str) -> str:
    """The doc text with its headings as Markdown: lines that are not indented are headings."""
    lines: list[str] = []
    for line in doc.splitlines():
        heading = line and not line.startswith(" ")
        lines += [f"## {line}", ""] if heading else [line.strip()]
    return "\n".join(lines).strip() + "\n"


def nearest(name: str, registry: Registry, rules: Sequence[Rule] = RULES) -> list[str]:
    """Names that look like ``name``, the nearest first."""
    from difflib import get_close_matches

    known = [*registry.names, *(rule.id for rule in rules), *PROBLEMS, *CHECKPOINTS]
    by_folded = {each.casefold(): each for each in known}
    found = get_close_matches(name.casefold(), by_folded, n=3, cutoff=0.5)
    # A bare number is the number of the issue upstream.
    found += [each for each in by_folded if name.isdigit() and each.endswith(f"-{name}")]
    return [by_folded[each] for each in dict.fromkeys(found)]
