"""The catalogue against the engines' own parsers: spellings, arity, choices and defaults of every option, exactly."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from asking import Ask, options_of

import pytest_qwen_mtp.engines
from pytest_qwen_mtp.engines.catalogue import load
from pytest_qwen_mtp.engines.options import Option
from pytest_qwen_mtp.profiles.model import Engine

pytestmark = pytest.mark.real_engine

DATA = Path(pytest_qwen_mtp.engines.__file__).parent / "data"
SOURCES = [
    (engine, version)
    for engine in ("vllm", "sglang")
    for version in json.loads((DATA / f"{engine}.json").read_text(encoding="utf-8"))["releases"]
]
ACTIONS = {
    "_StoreTrueAction": "true",
    "_StoreFalseAction": "false",
    "_AppendAction": "append",
    "_ExtendAction": "extend",
    "_StoreConstAction": "const",
    "BooleanOptionalAction": "boolean",
    "EnableDisableAction": "boolean",
    "DeprecatedStoreTrueAction": "true",
}
"""Actions of the parsers by the catalogue's names. The arity of the engines' own classes tells what they do."""


def of_catalogue(option: Option) -> dict[str, Any]:
    return {
        "strings": sorted(option.strings + option.negatives),
        "name": option.name,
        "nargs": option.nargs if option.takes_value else 0,
        "choices": None if option.choices is None else ordered(option.choices),
        "default": option.default,
        "required": option.required,
    }


def of_parser(row: Mapping[str, Any]) -> dict[str, Any]:
    default = row["default"]
    if isinstance(default, dict) and set(default) == {"object"}:
        default = {}  # an object of a config class with its own defaults
    return {
        "strings": sorted(row["strings"]),
        "name": row["name"],
        "nargs": row["nargs"],
        "choices": None if row["choices"] is None else ordered(row["choices"]),
        "default": default,
        "required": row["required"],
    }


def ordered(choices: Any) -> list[Any]:
    """Choices without an order: some releases keep them in a set."""
    return sorted(choices, key=str)


def compared(engine: Engine, version: str, rows: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    release = load(engine).release(version)
    assert release.exact
    ours = {option.strings[0]: of_catalogue(option) for option in release.options if option.action != "help"}
    names = {string: main for main, each in ours.items() for string in each["strings"]}
    theirs = {}
    for row in rows:
        if row["action"] not in ("_HelpAction", "_VersionAction"):
            main = next((names[string] for string in row["strings"] if string in names), row["strings"][0])
            theirs[main] = of_parser(row)
    return ours, theirs


def test_the_installed_vllm(ask: Ask) -> None:
    ours, theirs = compared("vllm", "0.32.0", options_of(ask("vllm_parser.py")))
    # The catalogue speaks of NVIDIA GPUs; this installation is for CPUs and offers its own device only.
    assert ours["--mm-processor-device"]["choices"] == ["auto", "cpu", "cuda"]
    assert theirs["--mm-processor-device"]["choices"] == ["auto", "cpu"]
    ours["--mm-processor-device"]["choices"] = ["auto", "cpu"]
    assert ours == theirs
    assert len(theirs) == 316


def test_the_actions_of_the_installed_vllm(ask: Ask) -> None:
    release = load("vllm").release("0.32.0")
    for row in options_of(ask("vllm_parser.py")):
        expected = ACTIONS.get(row["action"])
        if expected is not None:
            assert release.by_string[row["strings"][0]].action == expected, row["strings"]


@pytest.mark.parametrize(("engine", "version"), SOURCES)
def test_the_parser_in_the_sources(engine: Engine, version: str, ask: Ask, sources: Callable[[str, str], str]) -> None:
    rows = options_of(ask(f"{engine}_parser.py", sources(engine, version)))
    ours, theirs = compared(engine, version, rows)
    assert ours == theirs
