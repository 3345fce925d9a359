"""`qwen-mtp catalogue`: what is shown of a release, and what changes between two."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest

from pytest_qwen_mtp.catalogue_cli import add_parser, run
from pytest_qwen_mtp.engines.catalogue import Catalogue
from pytest_qwen_mtp.engines.compare import changes

SMALL: dict[str, Any] = {
    "releases": ["1.0", "1.1"],
    "choices": [["a", "b"], ["b", "c"]],
    "options": {
        "--gone": [[0, {}], [1, None]],
        "--old": [[0, {"name": "thing"}], [1, None]],
        "--thing": [[1, {}]],
        "--mode": [[0, {"choices": 0, "default": "a"}], [1, {"choices": 1, "default": "b"}]],
        "--count": [[0, {}], [1, {"type": "int"}]],
        "--on": [[0, {"action": "boolean", "default": False}], [1, {"action": "boolean"}]],
        "--json": [[0, {"keys": "K"}]],
    },
    "keys": {"K": {"k": [[0, {"types": ["integer"]}], [1, {"types": ["string"]}]], "new": [[1, {}]]}},
    "tables": {
        "methods": {"mtp": [[0, "mtp"]], "x_mtp": [[0, "x_mtp"], [1, "mtp"]]},
        "mtp_models": {"qwen": [[1, "qwen_mtp"]]},
        "environment": {"VLLM_X": [[0, True], [1, None]]},
    },
}


def test_every_kind_of_change_is_told() -> None:
    catalogue = Catalogue("vllm", SMALL)
    found = changes(catalogue.release("1.0"), catalogue.release("1.1"))
    assert [each.text for each in found] == [
        "--gone is gone",
        "--old is --thing now",
        "--thing str",
        "--count takes int, was str",
        "--mode defaults to b, was a",
        "--mode takes no longer a; also c",
        "--on defaults to none, was off",
        "--json.k takes string, was integer",
        "--json.new",
        "x_mtp means mtp, was x_mtp",
        "qwen (means qwen_mtp)",
        "VLLM_X",
    ]
    assert changes(catalogue.release("1.1"), catalogue.release("1.1")) == []


def called(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    return run(parser.parse_args(["catalogue", *words]))


def test_a_release_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("show", "vllm", "0.32.0", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["engine"], shown["version"], shown["exact"]) == ("vllm", "0.32.0", True)
    options = {each["name"]: each for each in shown["options"]}
    mode = options["--mamba-cache-mode"]
    assert {key: mode[key] for key in ("aliases", "type", "choices", "default")} == {
        "aliases": [],
        "type": "str",
        "choices": ["align", "none"],
        "default": "none",
    }
    assert options["--enable-prefix-caching"]["aliases"] == ["--no-enable-prefix-caching"]
    assert options["--speculative-config"]["aliases"] == ["-sc"]


def test_a_release_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("show", "sglang", "0.5.19") == 0
    out = capsys.readouterr().out
    assert out.startswith("SGLang 0.5.19: 504 options\n")
    assert "--mamba-scheduler-strategy" in out
    assert "deprecated, now --mamba-radix-cache-strategy" in out


def test_two_releases(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("diff", "sglang", "0.5.19", "0.5.20") == 0
    assert "  > --mamba-scheduler-strategy is --mamba-radix-cache-strategy now\n" in capsys.readouterr().out
    assert called("diff", "vllm", "0.31.0", "0.32.0", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["from"], shown["to"]) == ("0.31.0", "0.32.0")
    assert {"what": "option", "kind": "choices", "name": "--mamba-cache-mode"}.items() <= next(
        each for each in shown["changes"] if each["name"] == "--mamba-cache-mode"
    ).items()


def test_a_release_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("diff", "vllm", "0.31.0", "0.99.0") == 2
    assert "vLLM 0.99.0 is not in the catalogue, which holds 0.10.2 to 0.33.0" in capsys.readouterr().err
