"""The worked example of docs/registry.md is an entry that loads and that its own examples bear out."""

from __future__ import annotations

import re
from pathlib import Path

from commands import subject_of_example

from pytest_qwen_mtp.registry.facts import DERIVED, GROUPS
from pytest_qwen_mtp.registry.load import load_registry, read_examples
from pytest_qwen_mtp.registry.match import match
from pytest_qwen_mtp.schema import read_schema

PAGE = (Path(__file__).parents[2] / "docs" / "registry.md").read_text(encoding="utf-8")


def test_the_worked_example_loads_and_holds(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.S | re.M)
    (tmp_path / "vllm-99999.yaml").write_text(block, encoding="utf-8")
    registry = load_registry([tmp_path])
    entry = registry.get("vllm-99999")
    assert entry is not None
    bad, good = read_examples(entry)
    for example in bad:
        (found,) = [each for each in match(registry, subject_of_example("vllm", example)) if each.rule == "vllm-99999"]
        assert found.certainty.value == "definite"
        assert found.place.column == example.command.index("128") + 1
    for example in good:
        assert "vllm-99999" not in {each.rule for each in match(registry, subject_of_example("vllm", example))}


def test_every_field_of_the_schema_is_explained() -> None:
    missing = [name for name in read_schema("registry-entry")["properties"] if f"`{name}`" not in PAGE]
    assert missing == []


def test_every_derived_name_is_explained() -> None:
    missing = [name for name in DERIVED if f"`{name}`" not in PAGE]
    missing += [name for name in GROUPS if not re.search(rf"`{name}\.\w+`", PAGE)]
    assert missing == []
