"""``qwen-mtp upgrade``: three profiles, each across three pairs of releases, against what the released sources say.

The sources: vLLM's prefix caching for hybrid models is on from 0.28.0 (config/vllm.py), the V2 model runner from
0.29.0, the value ``all`` of the mamba cache mode is gone in 0.32.0 (config/cache.py), ``--swap-space`` in 0.18.0
(engine/arg_utils.py). SGLang's automatic strategy is extra_buffer from 0.5.14, ``--mamba-scheduler-strategy`` is an
alias in 0.5.14 to 0.5.19 and gone in 0.5.20 (server_args.py, arg_groups/fields).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_qwen_mtp.cli import main

HYBRID = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.27.1
    command:
      - Qwen/Qwen3.6-27B-FP8
      - --mamba-cache-mode
      - all
      - --speculative-config
      - '{"method":"mtp","num_speculative_tokens":2}'
"""
SCRIPT = """\
#!/bin/bash
docker run --gpus all vllm/vllm-openai:v0.17.0 \\
  Qwen/Qwen3-Next-80B-A3B-Instruct-FP8 \\
  --swap-space 8 \\
  --enable-prefix-caching \\
  --speculative-config '{"method":"mtp","num_speculative_tokens":2}'
"""
SGLANG = """\
services:
  qwen:
    image: lmsysorg/sglang:v0.5.13
    command: >
      python3 -m sglang.launch_server --model-path Qwen/Qwen3.6-27B-FP8
      --mamba-scheduler-strategy extra_buffer
      --speculative-algorithm NEXTN --speculative-num-steps 3
      --speculative-eagle-topk 1 --speculative-num-draft-tokens 4
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scrubbed: None) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("hybrid.yaml", HYBRID), ("start.sh", SCRIPT), ("sglang.yaml", SGLANG)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def upgraded(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main(["upgrade", *words, "--json"])
    (entry,) = json.loads(capsys.readouterr().out)["upgrades"]
    return code, entry


def flips(entry: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {each["name"]: (each["before"]["value"], each["after"]["value"]) for each in entry["defaults"]}


def rules(entry: dict[str, Any], group: str) -> set[str]:
    return {each["rule"] for each in entry[group]}


@pytest.mark.parametrize(
    ("file", "release", "code", "refused", "flipped", "unflipped", "comes", "goes"),
    [
        (
            "hybrid.yaml",
            "0.28.0",
            0,
            set(),
            {"enable_prefix_caching": (False, True)},
            {"use_v2_model_runner", "async_scheduling"},
            {"vllm-prefix-caching-default", "vllm-53912"},
            {"vllm-51812"},
        ),
        (
            "hybrid.yaml",
            "0.29.0",
            0,
            set(),
            {"enable_prefix_caching": (False, True), "use_v2_model_runner": (False, True)},
            {"async_scheduling"},
            {"vllm-prefix-caching-default", "vllm-53912", "vllm-54360"},
            {"vllm-51812"},
        ),
        (
            "hybrid.yaml",
            "0.32.0",
            3,
            {"invalid-flag-value"},
            {"enable_prefix_caching": (False, True), "use_v2_model_runner": (False, True)},
            {"async_scheduling"},
            {"vllm-prefix-caching-default"},
            {"vllm-51812", "vllm-mamba-cache-mode-all"},
        ),
        (
            "start.sh",
            "0.17.1",
            0,
            set(),
            {},
            {"enable_prefix_caching", "use_v2_model_runner"},
            set(),
            set(),
        ),
        (
            "start.sh",
            "0.22.0",
            3,
            {"removed-flag"},
            {"gpu_memory_utilization": (0.9, 0.92)},
            {"enable_prefix_caching", "use_v2_model_runner"},
            {"vllm-40756"},
            set(),
        ),
        (
            "start.sh",
            "0.32.0",
            3,
            {"removed-flag"},
            {"use_v2_model_runner": (False, True)},
            {"enable_prefix_caching", "mamba_cache_mode"},
            {"vllm-53912", "vllm-54360"},
            {"vllm-43559", "vllm-51812"},
        ),
        ("sglang.yaml", "0.5.14", 0, set(), {}, {"speculative_num_steps"}, set(), set()),
        (
            "sglang.yaml",
            "0.5.19",
            0,
            set(),
            {},
            {"speculative_num_steps"},
            {"sglang-29449"},
            {"sglang-27998"},
        ),
        (
            "sglang.yaml",
            "0.5.23",
            3,
            {"renamed-flag"},
            {},
            {"speculative_num_steps"},
            set(),
            {"sglang-27998"},
        ),
    ],
)
def test_what_another_release_changes(
    desk: Path,
    capsys: pytest.CaptureFixture[str],
    file: str,
    release: str,
    code: int,
    refused: set[str],
    flipped: dict[str, tuple[Any, Any]],
    unflipped: set[str],
    comes: set[str],
    goes: set[str],
) -> None:
    found, entry = upgraded(capsys, file, "--to", release)
    assert found == code
    assert entry["stops"] is (code == 3)
    assert rules(entry, "refused") == refused
    changed = flips(entry)
    assert flipped.items() <= changed.items()
    assert not unflipped & changed.keys()
    assert comes <= rules(entry, "comes")
    assert goes <= rules(entry, "goes")
    assert not rules(entry, "comes") & (rules(entry, "goes") | rules(entry, "stays"))


def test_the_page_for_people(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade", "hybrid.yaml", "--to", "0.32.0"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "hybrid.yaml  qwen: vLLM 0.27.1 → 0.32.0"
    titles = [line for line in lines if line.startswith("  ") and not line.startswith("   ")]
    assert titles[0] == "  Must change: the new release refuses it, or reads it differently (1)"
    assert [title.split(" (")[0] for title in titles[1:]] == [
        "  Defaults that change for this command",
        "  Known trouble that comes",
        "  Known trouble that goes",
        "  Known trouble that stays",
    ]
    assert any("invalid-flag-value" in line and line.endswith("[hybrid.yaml:7:9]") for line in lines)
    assert "      change: write --mamba-cache-mode align, or drop the option" in lines
    (caching,) = [line for line in lines if line.startswith("    enable_prefix_caching: ")]
    assert "false → true" in caching
    assert "on from 0.28.0 on" in caching
    assert caching.endswith("[hybrid.yaml:2:3]")


def test_a_renamed_option_comes_with_its_new_name(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, entry = upgraded(capsys, "sglang.yaml", "--to", "0.5.20")
    (renamed,) = entry["refused"]
    assert (renamed["rule"], renamed["line"], renamed["column"]) == ("renamed-flag", 6, 7)
    assert "--mamba-radix-cache-strategy" in renamed["fix"]


def test_what_the_other_direction_brings_back(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, entry = upgraded(capsys, "hybrid.yaml", "--from", "0.32.0", "--to", "0.27.1")
    assert code == 0
    assert (entry["from"], entry["to"]) == ("0.32.0", "0.27.1")
    assert rules(entry, "settled") == {"invalid-flag-value"}
    assert flips(entry)["enable_prefix_caching"] == (True, False)
    assert rules(entry, "goes") >= {"vllm-prefix-caching-default"}


def test_the_same_release_changes_nothing(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade", "sglang.yaml", "--to", "0.5.13"]) == 0
    out = capsys.readouterr().out
    assert "Nothing changes for this command." in out
    assert "Known trouble that stays" in out


def test_a_bug_that_the_parser_finds_by_itself_neither_comes_nor_goes(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """0.5.14 declares the variable and ignores it, 0.5.23 has lost it: the same trouble under two names."""
    text = SGLANG.replace("    command: >", '    environment: {SGLANG_ENABLE_SPEC_V2: "1"}\n    command: >')
    (desk / "sglang.yaml").write_text(text, encoding="utf-8")
    _, entry = upgraded(capsys, "sglang.yaml", "--from", "0.5.14", "--to", "0.5.23")
    told = [each for each in entry["refused"] if each["rule"] == "ignored-env-var"]
    assert [each["line"] for each in told] == [4]
    hidden = set(told[0]["aliases"])
    assert not hidden & (rules(entry, "goes") | rules(entry, "comes"))


TWO = """\
services:
  a: {image: 'vllm/vllm-openai:v0.28.0', command: [Qwen/Qwen3.6-27B]}
  b: {image: 'vllm/vllm-openai:latest', command: [Qwen/Qwen3.6-27B]}
  c: {image: 'lmsysorg/sglang:v0.5.22', command: [python3, -m, sglang.launch_server, --model-path, m]}
"""


def test_services_that_cannot_be_compared_are_told(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "two.yaml").write_text(TWO, encoding="utf-8")
    assert main(["upgrade", "two.yaml", "--to", "0.29.0", "--json"]) == 1
    out, err = capsys.readouterr()
    assert [each["service"] for each in json.loads(out)["upgrades"]] == ["a"]
    assert "qwen-mtp: b: " in err
    assert "say --from RELEASE" in err
    assert "qwen-mtp: c: --to: 0.29.0 is no release of sglang that is known here (0.5.3 to 0.5.23)" in err
    assert upgraded(capsys, "two.yaml", "--to", "0.29.0", "--from", "0.28.0", "--service", "b")[1]["service"] == "b"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["hybrid.yaml", "--to", "newest"], "--to 'newest': expected a release such as 0.32.0"),
        (["hybrid.yaml", "--to", "0.32.0", "--from", "x"], "--from 'x': expected a release"),
        (["hybrid.yaml", "--to", "9.9.9"], "9.9.9 is no release of vllm that is known here (0.10.2 to "),
        (["hybrid.yaml", "--to", "0.32.0", "--service", "x"], "no inference server is named 'x'; found qwen"),
        (["gone.yaml", "--to", "0.32.0"], "gone.yaml does not exist"),
    ],
)
def test_wrong_usage(desk: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(["upgrade", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_a_file_that_starts_nothing(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "redis.yaml").write_text("services: {cache: {image: 'redis:8'}}\n", encoding="utf-8")
    assert main(["upgrade", "redis.yaml", "--to", "0.32.0"]) == 1
    assert "starts no inference server" in capsys.readouterr().err
