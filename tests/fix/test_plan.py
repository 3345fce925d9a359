"""Which changes are chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import entry, fixed

from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.rules import RULES

TEXT = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.30.0
    command:
      - Qwen/Qwen3.6-27B
      - --enable-prefix-caching
      - --max-num-seqs
      - "64"
      - --speculative-config
      - '{"method":"mtp","num_speculative_tokens":3}'
"""
CACHE = {"set": {"enable_prefix_caching": False}}
FEWER = {"set": {"max_num_seqs": 8}}
OFF = {"set": {"speculative.method": None}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "compose.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def chosen(path: Path, *entries: object) -> list[tuple[dict[str, object], tuple[str, ...]]]:
    (server,) = fixed(path, *entries).servers  # type: ignore[arg-type]
    return [(dict(each.step.settings), each.rules) for each in server.changes]


def test_one_change_for_two_findings(path: Path) -> None:
    one = entry("vllm-one", {"enable_prefix_caching": True}, CACHE, FEWER)
    two = entry("vllm-two", {"enable_prefix_caching": True, "max_num_seqs": 64}, FEWER, CACHE)
    assert chosen(path, one, two) == [({"enable_prefix_caching": False}, ("vllm-one", "vllm-two"))]


def test_a_change_that_leads_into_another_finding_is_not_chosen(path: Path) -> None:
    one = entry("vllm-one", {"enable_prefix_caching": True, "max_num_seqs": 64}, CACHE, FEWER)
    other = entry("vllm-other", {"enable_prefix_caching": False}, {"upgrade": "0.40.0"})
    assert chosen(path, one, other) == [({"max_num_seqs": 8}, ("vllm-one",))]


def test_a_change_that_needs_a_second_one(path: Path) -> None:
    one = entry("vllm-one", {"enable_prefix_caching": True}, CACHE)
    other = entry("vllm-other", {"enable_prefix_caching": False, "max_num_seqs": 64}, FEWER)
    assert [settings for settings, _ in chosen(path, one, other)] == [
        {"enable_prefix_caching": False},
        {"max_num_seqs": 8},
    ]


def test_a_finding_is_not_traded_for_one_that_is_as_bad(path: Path) -> None:
    one = entry("vllm-one", {"enable_prefix_caching": True}, CACHE)
    other = entry("vllm-other", {"enable_prefix_caching": False}, {"text": "wait for it"})
    result = fixed(path, one, other)
    assert result.servers[0].changes == ()
    assert [each.rule for each in result.servers[0].left] == ["vllm-one"]
    assert result.texts == {}


def test_what_is_safe_goes_before_what_is_to_be_measured(path: Path) -> None:
    one = entry("vllm-one", {"enable_prefix_caching": True, "max_num_seqs": 64}, {**CACHE, "remeasure": True}, FEWER)
    assert chosen(path, one) == [({"max_num_seqs": 8}, ("vllm-one",))]


@pytest.mark.parametrize(("severity", "taken"), [("critical", 1), ("high", 1), ("medium", 0), ("low", 0)])
def test_mtp_is_taken_away_only_for_something_bad(path: Path, severity: str, taken: int) -> None:
    result = fixed(path, entry("vllm-one", {"mtp": True}, OFF, severity=severity))
    assert len(result.servers[0].changes) == taken
    assert ("--speculative-config" in result.texts.get(path, TEXT)) is not bool(taken)


def test_mtp_is_taken_away_last(path: Path) -> None:
    assert chosen(path, entry("vllm-one", {"mtp": True, "max_num_seqs": 64}, OFF, FEWER)) == [
        ({"max_num_seqs": 8}, ("vllm-one",))
    ]


def test_what_is_only_possible_is_left(path: Path) -> None:
    one = entry("vllm-one", {"enable_prefix_caching": True, "unseen": "it rains"}, CACHE)
    assert chosen(path, one) == []


@pytest.mark.parametrize(
    ("mark", "taken"),
    [
        ("    # qwen-mtp: ignore[vllm-one] reason=patched\n", 0),
        ("    # qwen-mtp: ignore[vllm-two] reason=patched\n", 1),
        ("    # qwen-mtp: ignore[vllm-one] until=2020-01-01 reason=patched\n", 1),
        ("    # qwen-mtp: ignore[vllm-one]\n", 1),
        ("    x-qwen-mtp: {ignore: [{rule: vllm-one, reason: patched}]}\n", 0),
    ],
    ids=["comment", "another rule", "expired", "no reason", "block"],
)
def test_what_is_accepted_with_a_reason_is_left(path: Path, mark: str, taken: int) -> None:
    path.write_text(TEXT.replace("    command:", f"{mark}    command:"), encoding="utf-8")
    one = entry("vllm-one", {"enable_prefix_caching": True}, CACHE)
    result = fixed(path, one, entry("vllm-two", {"max_num_seqs": 1}, FEWER))
    assert len(result.servers[0].changes) == taken
    assert result.servers[0].left == ()


def test_a_renamed_option_and_what_is_written_with_an_equals_sign(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    text = (
        "services:\n  qwen:\n    image: lmsysorg/sglang:v0.5.23\n    command: >-\n"
        "      python3 -m sglang.launch_server --model-path Qwen/Qwen3.6-27B\n"
        "      --mamba-scheduler-strategy=extra_buffer --port 30000\n"
    )
    path.write_text(text, encoding="utf-8")
    result = fixed(path, rules=RULES)
    assert result.texts[path] == text.replace("--mamba-scheduler-strategy=", "--mamba-radix-cache-strategy=")
    assert [(each.step.remeasure, each.rules) for each in result.servers[0].changes] == [(False, ("renamed-flag",))]


def test_an_option_that_is_gone_goes(tmp_path: Path) -> None:
    path = tmp_path / "serve.sh"
    text = "#!/bin/sh\ndocker run vllm/vllm-openai:v0.30.0 \\\n  Qwen/Qwen3.6-27B \\\n  --swap-space 8 \\\n  --port 1\n"
    path.write_text(text, encoding="utf-8")
    assert fixed(path, rules=RULES).texts[path] == text.replace("  --swap-space 8 \\\n", "")


def test_variables_that_nothing_reads_go(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    text = TEXT + "    environment:\n      VLLM_USE_V1: '1'\n      A: b\n"
    path.write_text(text, encoding="utf-8")
    assert fixed(path, rules=RULES).texts[path] == text.replace("      VLLM_USE_V1: '1'\n", "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("      - Qwen/Qwen3.6-27B\n", "      - vllm\n      - serve\n      - Qwen/Qwen3.6-27B\n"),
        ("      - Qwen/Qwen3.6-27B\n", "      - serve\n      - Qwen/Qwen3.6-27B\n"),
    ],
)
def test_a_program_that_is_named_twice_is_named_once(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(TEXT.replace(before, after), encoding="utf-8")
    assert fixed(path, rules=RULES).texts[path] == TEXT


def test_a_guess_is_never_written(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(TEXT.replace("--max-num-seqs", "--max-num-seq-s"), encoding="utf-8")
    result = fixed(path, rules=RULES)
    assert result.texts == {}
    assert "unknown-flag" in [each.rule for each in result.servers[0].left]


SGLANG = "python3 -m sglang.launch_server --model-path Qwen/Qwen3.6-27B --port 1"
SPECULATIVE = (
    "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1 "
    "--speculative-num-draft-tokens 4"
)


@pytest.mark.parametrize(
    ("engine", "image", "before", "after"),
    [
        ("sglang", "lmsysorg/sglang:v0.5.20", f"{SGLANG} {SPECULATIVE} --host 0.0.0.0", f"{SGLANG} --host 0.0.0.0"),
        (
            "llamacpp",
            "ghcr.io/ggml-org/llama.cpp:server-cuda-b9400",
            "-m /q.gguf --spec-type draft-mtp --draft-max 3 -c 8",
            "-m /q.gguf -c 8",
        ),
    ],
)
def test_speculation_of_another_engine_is_taken_away(
    tmp_path: Path, engine: str, image: str, before: str, after: str
) -> None:
    path = tmp_path / "compose.yaml"
    head = f"services:\n  q:\n    image: {image}\n    command: "
    path.write_text(f"{head}{before}\n", encoding="utf-8")
    result = fixed(path, entry(f"{engine}-one", {"speculation": True}, OFF, engine=engine))
    assert result.texts[path] == f"{head}{after}\n"


def test_the_shipped_entries_lead_to_a_file_that_passes(path: Path) -> None:
    path.write_text(TEXT.replace("v0.30.0", "v0.26.0"), encoding="utf-8")
    result = fixed(path, *load_registry().entries, rules=RULES)
    assert "vllm-43559" in [rule for change in result.servers[0].changes for rule in change.rules]
    path.write_text(result.texts[path], encoding="utf-8")
    again = fixed(path, *load_registry().entries, rules=RULES)
    assert again.texts == {}
    assert [each for each in again.servers[0].left if each.severity >= 3] == []
