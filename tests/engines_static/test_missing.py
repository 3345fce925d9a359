"""Options that a release lacks: what took their place, and what they took the place of."""

from __future__ import annotations

import pytest

from pytest_qwen_mtp.engines.catalogue import load
from pytest_qwen_mtp.engines.missing import missing, predecessor, successor
from pytest_qwen_mtp.engines.renames import SUCCESSORS
from pytest_qwen_mtp.profiles.model import Engine

WRITTEN: list[tuple[Engine, str]] = [(engine, string) for engine in ("vllm", "sglang") for string in SUCCESSORS[engine]]


@pytest.mark.parametrize(("engine", "string"), WRITTEN)
def test_a_written_successor_is_there_when_the_old_option_is_gone(engine: Engine, string: str) -> None:
    catalogue = load(engine)
    last = catalogue.spans(string)[0].last
    assert last is not None
    after = catalogue.release(catalogue.versions[catalogue.versions.index(last) + 1])
    new = SUCCESSORS[engine][string]
    assert successor(after, string) == new
    name, dot, key = new.partition("=")[0].partition(".")
    option = after.by_string[name]
    assert not dot or key in after.keys(option.keys or "")
    value = new.partition("=")[2]
    assert not value or option.choices is None or value in option.choices


@pytest.mark.parametrize(
    ("engine", "version", "string", "new"),
    [
        ("sglang", "0.5.23", "--mamba-scheduler-strategy", "--mamba-radix-cache-strategy"),
        ("sglang", "0.5.23", "--nsa-prefill", "--dsa-prefill-backend"),  # by way of --nsa-prefill-backend
        ("sglang", "0.5.23", "--disable-piecewise-cuda-graph", "--cuda-graph-backend-prefill=disabled"),
        ("sglang", "0.5.23", "--enable-double-sparsity", None),
        ("vllm", "0.33.0", "--swap-space", None),
    ],
)
def test_successors_through_several_renames(engine: Engine, version: str, string: str, new: str | None) -> None:
    assert successor(load(engine).release(version), string) == new


def test_an_option_that_is_not_there_yet_names_the_older_one() -> None:
    release = load("sglang").release("0.5.13")
    assert predecessor(release, "--mamba-radix-cache-strategy") == "--mamba-scheduler-strategy"
    found = missing(release, "--mamba-radix-cache-strategy")
    assert found is not None
    assert (found.kind, found.suggestion) == ("not-yet-flag", "--mamba-scheduler-strategy")
