"""Links within the repository lead somewhere; pages name what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import PAGES, ROOT, anchors, links, prose

import pytest_qwen_mtp
from pytest_qwen_mtp.registry.facts import DERIVED, GROUPS
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.rules.explain import list_all
from pytest_qwen_mtp.schema import read_schema

PACKAGE = Path(pytest_qwen_mtp.__file__).parent
PACKAGE_NAME = PACKAGE.name


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    lost = []
    for target in links(page):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        found = page if not path else (page.parent / path).resolve()
        if PACKAGE_NAME in found.parts:  # the tests may run beside an installed package instead of its sources
            found = PACKAGE.joinpath(*found.parts[found.parts.index(PACKAGE_NAME) + 1 :])
        if not found.exists() or (anchor and anchor not in anchors(found)):
            lost.append(target)
    assert lost == []


def test_the_index_links_to_every_page_of_the_folder() -> None:
    index = ROOT / "docs" / "README.md"
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - set(links(index)) == {"README.md"}


def test_the_readme_names_every_name_of_the_condition_language() -> None:
    text = prose(ROOT / "README.md")
    assert [name for name in DERIVED if f"`{name}`" not in text and f"`.{name.rpartition('.')[2]}`" not in text] == []
    assert [name for name in GROUPS if not re.search(rf"`{name}\.\w+`", text)] == []


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "examples" / "README.md"], ids=name_of)
def test_the_ids_that_a_page_names_exist(page: Path) -> None:
    known = {line.id for line in list_all(load_registry())} | {
        alias for line in list_all(load_registry()) for alias in line.aliases
    }
    named = set(
        re.findall(
            r"`((?:vllm|sglang|llamacpp)-[a-z0-9-]+|version-unpinned|[a-z-]+-flag|invalid-[a-z-]+)`", prose(page)
        )
    )
    assert named - known == set()


def test_the_page_explains_every_field_of_the_report() -> None:
    text = (ROOT / "docs" / "usage.md").read_text(encoding="utf-8")
    rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    schema = read_schema("report")
    fields = set(schema["properties"])
    for name in ("profile", "finding"):
        fields |= set(schema["$defs"][name]["properties"])
    for name in ("registry", "live", "not_seen"):
        part = schema["properties"][name]
        fields |= set(part.get("items", part)["properties"])
    fields |= set(schema["$defs"]["profile"]["properties"]["commands"]["items"]["properties"])
    fields |= set(schema["$defs"]["finding"]["properties"]["why"]["items"]["properties"])
    assert sorted(field for field in fields if f"`{field}`" not in rows) == []
