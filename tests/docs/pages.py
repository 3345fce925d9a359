"""The pages of the documentation: their code blocks, links and headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "examples/*.md", "schemas/*.md", "benchmarks/*.md")
    for path in ROOT.glob(pattern)
)
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, the word behind the fence, the words behind that, and the text."""

    page: Path
    line: int
    kind: str
    marks: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(*kinds: str) -> list[Block]:
    """The blocks of all pages, of the given kinds only where any are given."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in _FENCE.finditer(text):
            kind, *marks = match[1].split() or [""]
            found.append(Block(page, text.count("\n", 0, match.start()) + 1, kind, tuple(marks), match[2]))
    return [block for block in found if not kinds or block.kind in kinds]


def prose(page: Path) -> str:
    """The page without its blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """The targets of the page's links."""
    return _LINK.findall(prose(page))


def anchors(page: Path) -> set[str]:
    """The names under which the page's headings can be linked to, after GitHub's rule."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in _HEADING.findall(prose(page))
    }
