"""``qwen-mtp rules --engine … --version …``: what holds, and what may hold, for one release."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_qwen_mtp.cli import main
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.registry.ranges import standing


def listed(capsys: pytest.CaptureFixture[str], engine: str, version: str) -> list[dict[str, Any]]:
    assert main(["rules", "--engine", engine, "--version", version, "--json"]) == 0
    return [each for each in json.loads(capsys.readouterr().out)["rules"] if each["kind"] == "known bug"]


@pytest.mark.parametrize(("engine", "version"), [("vllm", "0.27.1"), ("sglang", "0.5.15"), ("llamacpp", "b9400")])
def test_what_the_ranges_say_and_nothing_else(capsys: pytest.CaptureFixture[str], engine: str, version: str) -> None:
    words = {True: "holds", None: "may hold"}
    wanted = {
        entry.id: words[holds]
        for entry in load_registry().entries
        if entry.engine == engine
        and (holds := standing(entry.affected, version.removeprefix("b"), engine).holds) is not False
    }
    assert wanted
    assert {each["id"]: each["holds"] for each in listed(capsys, engine, version)} == wanted


def test_the_sure_ones_first_and_the_worst_of_them_first(capsys: pytest.CaptureFixture[str]) -> None:
    order = ["critical", "high", "medium", "low"]
    keys = [(each["holds"] != "holds", order.index(each["severity"])) for each in listed(capsys, "vllm", "v0.26.0")]
    assert keys == sorted(keys)
    assert {first for first, _ in keys} == {False, True}


def test_the_list_for_people_says_which(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--engine", "vllm", "--version", "0.26.0"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("vllm-43559 "))
    assert line.split()[1:4] == ["critical", "vllm", "holds"]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--version", "0.26.0"], "--version needs --engine"), (["--engine", "vllm", "--version", "x"], "'x'")],
)
def test_a_release_without_an_engine_or_that_is_none(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["rules", *words]) == 2
    assert said in capsys.readouterr().err
