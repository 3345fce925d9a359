"""What ``tools/write_docs.py`` writes stands in the pages as it would be written now."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pages import PAGES, ROOT, blocks

sys.path.insert(0, str(ROOT / "tools"))

import write_docs


def test_the_page_of_options_is_what_the_plugin_defines() -> None:
    assert (ROOT / "docs" / "options.md").read_text(encoding="utf-8") == write_docs.options_page()


@pytest.mark.parametrize("page", sorted({block.page for block in blocks("console")}), ids=lambda page: page.name)
def test_the_output_of_a_page_is_the_real_output(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert write_docs.with_output(text) == text


def test_the_readme_shows_a_failing_run() -> None:
    (block,) = [block for block in blocks("console") if block.page.name == "README.md" and block.page.parent == ROOT]
    assert "CRITICAL vllm-43559" in block.text
    assert "1 failed" in block.text


def test_a_page_that_is_behind_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    page = ROOT / "docs" / "options.md"
    monkeypatch.setattr(write_docs, "written", lambda: {page: "something else", PAGES[0]: PAGES[0].read_text("utf-8")})
    monkeypatch.setattr(sys, "argv", ["write_docs.py", "--check"])
    assert write_docs.main() == 1
    assert capsys.readouterr().out == "docs/options.md is not up to date\n"
