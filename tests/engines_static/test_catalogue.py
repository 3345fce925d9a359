"""The catalogue's data and its look-ups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pytest_qwen_mtp.engines
from pytest_qwen_mtp.engines.catalogue import Catalogue, load
from pytest_qwen_mtp.engines.options import CONVERTERS
from pytest_qwen_mtp.profiles.model import Engine
from pytest_qwen_mtp.schema import read_schema

DATA = Path(pytest_qwen_mtp.engines.__file__).parent / "data"
ENGINES: list[Engine] = ["vllm", "sglang"]

SMALL: dict[str, Any] = {
    "releases": ["1.0", "1.1", "1.2"],
    "choices": [["a", "b"]],
    "options": {
        "--old": [[0, {"name": "thing"}], [1, {"name": "thing", "deprecated": True}], [2, None]],
        "--thing": [[1, {"also": ["-t"], "choices": 0, "default": "a"}]],
        "--on": [[0, {"action": "boolean"}]],
    },
    "keys": {},
    "tables": {"methods": {"mtp": [[1, "mtp"]]}, "mtp_models": {}, "environment": {"X": [[0, True], [1, None]]}},
}


@pytest.fixture
def small() -> Catalogue:
    return Catalogue("vllm", SMALL)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_data_is_by_schema(engine: Engine) -> None:
    data = json.loads((DATA / f"{engine}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(read_schema("engine-catalogue")).validate(data)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_type_has_a_converter(engine: Engine) -> None:
    catalogue = load(engine)
    for version in catalogue.versions:
        for option in catalogue.release(version).options:
            assert option.type.removeprefix("optional_") in CONVERTERS, (version, option.strings)


@pytest.mark.parametrize(("engine", "version", "count"), [("vllm", "0.32.0", 430), ("sglang", "0.5.23", 561)])
def test_the_spellings_of_a_release_are_those_of_its_parser(engine: Engine, version: str, count: int) -> None:
    assert len(load(engine).release(version).by_string) == count


def test_facts_of_qwen() -> None:
    release = load("vllm").release("0.32.0")
    assert release.methods["qwen3_next_mtp"] == "mtp"
    assert release.mtp_models["qwen3_5_moe"] == "qwen3_5_mtp"
    assert "VLLM_USE_V2_MODEL_RUNNER" in release.environment
    assert "num_speculative_tokens" in release.keys("SpeculativeConfig")
    older = load("vllm").release("0.26.0")
    assert "qwen4_exp" not in older.mtp_models
    assert older.by_name["mamba_cache_mode"].choices == ("align", "all", "none")
    assert load("sglang").release("0.5.23").methods["NEXTN"] == "EAGLE"


@pytest.mark.parametrize(
    ("asked", "version", "exact"),
    [
        ("1.1", "1.1", True),
        ("1.1.0", "1.1", True),
        ("1.1.5", "1.1", False),
        ("1.2rc1", "1.1", False),
        ("0.9", "1.0", False),
        ("9.0", "1.2", False),
        (None, "1.2", False),
        ("latest", "1.2", False),
    ],
)
def test_the_nearest_release(small: Catalogue, asked: str | None, version: str, exact: bool) -> None:
    release = small.release(asked)
    assert (release.version, release.exact) == (version, exact)


def test_timelines(small: Catalogue) -> None:
    assert set(small.release("1.0").by_string) == {"--old", "--on", "--no-on"}
    assert set(small.release("1.1").by_string) == {"--old", "--thing", "-t", "--on", "--no-on"}
    assert set(small.release("1.2").by_string) == {"--thing", "-t", "--on", "--no-on"}
    assert small.release("1.2").elsewhere("--old") is not None
    assert small.release("1.1").by_string["-t"].choices == ("a", "b")
    assert (small.release("1.0").methods, small.release("1.1").methods) == ({}, {"mtp": "mtp"})
    assert (small.release("1.0").environment, small.release("1.1").environment) == ({"X"}, frozenset())


def test_spans(small: Catalogue) -> None:
    assert [(span.first, span.last) for span in small.spans("--old")] == [("1.0", "1.1")]
    assert [(span.first, span.last) for span in small.spans("-t")] == [("1.1", None)]
    assert small.spans("--never") == ()


@pytest.mark.parametrize(
    ("asked", "around"),
    [("1.1", ["1.1"]), ("1.1.5", ["1.1", "1.2"]), (None, ["1.0", "1.1", "1.2"]), ("0.1", ["1.0", "1.1", "1.2"])],
)
def test_the_releases_around_one_that_is_not_known(small: Catalogue, asked: str | None, around: list[str]) -> None:
    assert [release.version for release in small.release(asked).around()] == around


def test_an_engine_without_data_has_an_empty_catalogue() -> None:
    release = load("llamacpp").release("11434")
    assert (release.version, release.exact, release.options) == (None, False, ())


def test_what_vanishes_and_comes_back_was_looked_up() -> None:
    """A gap shows a declaration that could not be followed. These are gaps in the releases' own sources."""
    found = {}
    for engine in ENGINES:
        data = json.loads((DATA / f"{engine}.json").read_text(encoding="utf-8"))
        groups = [data["options"], *data["keys"].values(), *data["tables"].values()]
        for timelines in groups:
            for name, steps in timelines.items():
                gaps = [data["releases"][start] for start, fact in steps[:-1] if fact is None]
                if gaps:
                    found[name] = gaps
    assert found == {
        "VLLM_ROCM_USE_AITER_FP4_ASM_GEMM": ["0.29.0"],
        "--speculative-dflash-draft-window-size": ["0.5.12"],
        "SGLANG_CUTEDSL_MOE_NVFP4_DISPATCH": ["0.5.6"],
        "SGLANG_USE_AG_AFTER_QLORA": ["0.5.6.post2"],
    }


@pytest.mark.parametrize(
    ("engine", "first", "last", "count"), [("vllm", "0.10.2", "0.33.0", 36), ("sglang", "0.5.3", "0.5.23", 37)]
)
def test_every_release_is_held(engine: Engine, first: str, last: str, count: int) -> None:
    versions = load(engine).versions
    assert (versions[0], versions[-1], len(versions)) == (first, last, count)
    assert sum(path.stat().st_size for path in DATA.glob("*.json")) < 600_000
