"""``qwen-mtp resolve --settings``: every setting with value, origin, source and place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_qwen_mtp.cli import main

COMPOSE = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [Qwen/Qwen3.6-27B, --max-model-len, 128k, --api-key, "not for your eyes", -tp, "${CARDS}"]
"""


@pytest.fixture
def settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scrubbed: None, capsys: pytest.CaptureFixture[str]
) -> list[dict[str, Any]]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "compose.yaml").write_text(COMPOSE, encoding="utf-8")
    assert main(["resolve", "--settings", "--json", "compose.yaml"]) == 0
    (profile,) = json.loads(capsys.readouterr().out)["profiles"]
    (command,) = profile["commands"]
    found: list[dict[str, Any]] = command["settings"]
    return found


def test_each_setting_says_what_it_is_and_why(settings: list[dict[str, Any]]) -> None:
    by_name = {each["name"]: each for each in settings}
    assert by_name["max_model_len"] == {
        "name": "max_model_len",
        "value": 128000,
        "known": True,
        "origin": "given",
        "source": "--max-model-len 128k",
        "place": {"path": "compose.yaml", "line": 4, "column": 50},
    }
    assert (by_name["enable_prefix_caching"]["value"], by_name["enable_prefix_caching"]["origin"]) == (True, "default")
    assert "from 0.28.0 on" in by_name["enable_prefix_caching"]["source"]
    assert by_name["mamba_cache_mode"]["origin"] == "implied"
    assert by_name["block_size"]["source"] == "default of vLLM 0.32.0"


def test_what_is_not_known_is_no_value(settings: list[dict[str, Any]]) -> None:
    cards = next(each for each in settings if each["name"] == "tensor_parallel_size")
    assert (cards["value"], cards["known"]) == (None, False)


def test_what_was_given_comes_first_in_the_order_of_the_words(settings: list[dict[str, Any]]) -> None:
    given = [each["name"] for each in settings if each["origin"] == "given"]
    assert given == [each["name"] for each in settings][: len(given)]
    assert given == ["model", "max_model_len", "api_key", "tensor_parallel_size"]


def test_a_key_stays_hidden(settings: list[dict[str, Any]]) -> None:
    assert "eyes" not in json.dumps(settings)


def test_the_lines_for_people(
    settings: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["resolve", "--settings", "compose.yaml"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "settings" in lines
    assert "max_model_len 128000 (given: --max-model-len 128k) [compose.yaml:4:50]" in lines
    assert "block_size null (default of vLLM 0.32.0)" in lines
    assert any(line.startswith("tensor_parallel_size unknown (given: ") for line in lines)
    assert not any("eyes" in line for line in lines)
    assert len([line for line in lines if "(default" in line]) > 100


def test_another_release_gives_other_settings(
    settings: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["resolve", "--settings", "--json", "--engine-version", "0.27.1", "compose.yaml"]) == 0
    (profile,) = json.loads(capsys.readouterr().out)["profiles"]
    by_name = {each["name"]: each["value"] for each in profile["commands"][0]["settings"]}
    assert by_name["enable_prefix_caching"] is False


def test_without_the_option_the_report_stays_as_it_is(
    settings: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["resolve", "--json", "compose.yaml"])
    assert "settings" not in json.loads(capsys.readouterr().out)["profiles"][0]["commands"][0]
