"""The pages of docs/rules are what the rules and entries say now."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from pytest_qwen_mtp.engines import catalogue
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.rules.explain import explain, list_all

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import write_rules

PAGES = write_rules.pages()


def test_the_pages_are_up_to_date() -> None:
    """Where this fails, run tools/write_rules.py."""
    here = {path.name: path.read_text(encoding="utf-8") for path in write_rules.FOLDER.glob("*.md")}
    assert sorted(name for name in here.keys() | PAGES.keys() if here.get(name) != PAGES.get(name)) == []


def test_one_page_for_each_id_with_the_text_of_explain() -> None:
    ids = [line.id for line in list_all(load_registry())]
    assert {f"{each}.md" for each in ids} == {name for name in PAGES if name.islower() and "releases-" not in name}
    assert PAGES["vllm-43559.md"] == explain("vllm-43559", load_registry())


def test_every_link_between_the_pages_leads_to_a_page_and_a_heading() -> None:
    for name, text in PAGES.items():
        for target, heading in re.findall(r"\]\(([\w.-]+\.md)(?:#([\w-]+))?\)", text):
            assert target in PAGES, name
            headings = re.findall(r"^## (.+)$", PAGES[target], re.M)
            plain = [re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings]
            assert not heading or heading in plain, f"{name}: {target}#{heading}"


def test_the_release_pages_hold_every_release_of_the_catalogues() -> None:
    for engine in write_rules.CATALOGUED:
        versions = re.findall(r"^## \S+ (\S+)$", PAGES[f"releases-{engine}.md"], re.M)
        assert sorted(versions) == sorted(catalogue.load(engine).versions)
        assert versions[0] == catalogue.load(engine).versions[-1]


def section(version: str) -> str:
    found = re.search(rf"^## vLLM {re.escape(version)}\n(.*?)(?=^## |\Z)", PAGES["releases-vllm.md"], re.M | re.S)
    assert found is not None
    return found[1]


def test_a_release_names_what_holds_what_came_and_what_went() -> None:
    assert "- critical: [vllm-43559](vllm-43559.md): " in section("0.26.0")
    assert "vllm-43559" in section("0.15.0").partition("Gone:")[0]
    assert "vllm-43559" in section("0.27.0").partition("Gone:")[2].splitlines()[0]
    assert "vllm-43559" not in section("0.28.0")


def test_a_page_that_is_behind_is_told_and_written_and_one_too_many_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_rules, "pages", lambda: {"a.md": "new\n", "b.md": "b\n"})
    for name in ("a.md", "c.md"):
        (tmp_path / name).write_text("old\n", encoding="utf-8")
    assert write_rules.main(["--check"], tmp_path) == 1
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == "old\n"
    assert write_rules.main([], tmp_path) == 0
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {
        "a.md": "new\n",
        "b.md": "b\n",
    }
    assert write_rules.main(["--check"], tmp_path) == 0
    assert "docs/rules/c.md removed" in capsys.readouterr().out
