"""What ``explain`` prints."""

from __future__ import annotations

import pytest

from pytest_qwen_mtp.registry.explain import describe, explain, link
from pytest_qwen_mtp.registry.language import read_condition
from pytest_qwen_mtp.registry.load import load_registry

HEADINGS = ["## What it is", "## Whom it hits", "## How to see it", "## What to change", "## References"]


@pytest.mark.parametrize("entry", load_registry().entries, ids=lambda entry: entry.id)
def test_every_entry_under_the_same_headings(entry: object) -> None:
    text = explain(entry)  # type: ignore[arg-type]
    assert [line for line in text.splitlines() if line.startswith("## ")] == HEADINGS
    assert text.startswith(f"# {entry.id}: ")  # type: ignore[attr-defined]


def test_references_are_addresses() -> None:
    assert link("vllm-project/vllm#43559") == "https://github.com/vllm-project/vllm/issues/43559"
    assert link("vllm 0.27.0, config/cache.py") == "vllm 0.27.0, config/cache.py"


def test_conditions_as_a_list() -> None:
    condition = read_condition(
        {
            "mtp": True,
            "not": {"a": None},
            "any": [{"b": [1, 2], "c": {"given": True}}, {"written": "--x"}],
            "unseen": "clients will ask",
        }
    )
    assert describe(condition) == "\n".join(
        (
            "- `mtp` is true",
            "- not:",
            "  - `a` is unset",
            "- one of:",
            "  - all of:",
            "    - `b` is 1 or 2",
            "    - `c` is given by the user",
            "  - `--x` is given",
            "- no file shows whether clients will ask",
        )
    )


def test_a_page_says_range_cost_and_silence() -> None:
    entry = load_registry().get("vllm-43559")
    assert entry is not None
    text = explain(entry)
    assert "vLLM: 0.15.0 to before 0.27.0" in text
    assert "Cost: every turn prefills its whole prompt again. Measure again afterwards." in text
    assert "silent" in text.splitlines()[2]
