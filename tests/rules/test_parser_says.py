"""What the release's own parser has against a word: rule, reason and change."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from started import command, only, told

import pytest_qwen_mtp.engines
from pytest_qwen_mtp.check import apply, read
from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Certainty, Place, Severity
from pytest_qwen_mtp.profiles.load import load
from pytest_qwen_mtp.rules import RULES, unknown_flag

SGLANG = "lmsysorg/sglang:v{}"
LAUNCH = "python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3.6-27B-FP8"


@pytest.mark.parametrize(
    ("rule", "image", "words", "culprit", "reason", "change"),
    [
        (
            "unknown-flag",
            "vllm/vllm-openai:v0.32.0",
            "Qwen/Qwen3.6-27B, --enable-prefix-cachng",
            "--enable-prefix-cachng",
            "vLLM 0.32.0 has no option --enable-prefix-cachng; did you mean --enable-prefix-caching?",
            "write --enable-prefix-caching instead of --enable-prefix-cachng",
        ),
        (
            "removed-flag",
            "vllm/vllm-openai:v0.32.0",
            "Qwen/Qwen3.6-27B, --swap-space, '4'",
            "--swap-space",
            "--swap-space is gone from vLLM 0.32.0",
            "take --swap-space away, with its value if it has one",
        ),
        (
            "renamed-flag",
            SGLANG.format("0.5.23"),
            f"{LAUNCH}, --stream-output",
            "--stream-output",
            "it is --incremental-streaming-output now",
            "write --incremental-streaming-output instead of --stream-output",
        ),
        (
            "not-yet-flag",
            "vllm/vllm-openai:v0.26.0",
            "Qwen/Qwen3.6-27B, --max-num-queued-reqs, '8'",
            "--max-num-queued-reqs",
            "--max-num-queued-reqs is not known to vLLM 0.26.0",
            "or later, or take --max-num-queued-reqs away",
        ),
        (
            "not-yet-flag",
            SGLANG.format("0.5.12"),
            f"{LAUNCH}, --mamba-radix-cache-strategy, extra_buffer",
            "--mamba-radix-cache-strategy",
            "it is there from 0.5.14",
            "move to 0.5.14 or later, or write --mamba-scheduler-strategy",
        ),
        (
            "invalid-flag-value",
            "vllm/vllm-openai:v0.32.0",
            "Qwen/Qwen3.6-27B, --max-model-len, much",
            "much",
            "--max-model-len: found 'much'",
            "whole number",
        ),
        (
            "unknown-spec-method",
            "vllm/vllm-openai:v0.32.0",
            "Qwen/Qwen3.6-27B, --spec-method, mtpx, --spec-tokens, '2'",
            "mtpx",
            "mtpx",
            "write mtp",
        ),
        (
            "unknown-spec-method",
            SGLANG.format("0.5.23"),
            f"{LAUNCH}, --speculative-algorithm, MTP",
            "MTP",
            "MTP",
            "write ",
        ),
        (
            "duplicate-serve",
            "vllm/vllm-openai:v0.32.0",
            "vllm, serve, Qwen/Qwen3.6-27B",
            "vllm, serve",
            "vllm starts the engine a second time",
            "begin the command with the model; the image's entry point starts the engine",
        ),
        (
            "env-after-command",
            "vllm/vllm-openai:v0.32.0",
            "Qwen/Qwen3.6-27B, VLLM_LOGGING_LEVEL=DEBUG",
            "VLLM_LOGGING_LEVEL=DEBUG",
            "VLLM_LOGGING_LEVEL=DEBUG stands behind the command",
            "set VLLM_LOGGING_LEVEL under environment",
        ),
    ],
)
def test_the_finding_names_the_word_the_reason_and_the_change(
    tmp_path: Path, rule: str, image: str, words: str, culprit: str, reason: str, change: str
) -> None:
    text = command(words, image)
    finding = only(told(tmp_path, text), rule)
    assert (finding.place.line, finding.place.column) == (4, text.splitlines()[3].rindex(culprit) + 1)
    assert finding.severity >= Severity.HIGH
    assert finding.certainty is Certainty.DEFINITE
    assert reason in finding.why[0].text
    assert finding.fix is not None
    assert change in finding.fix.text


@pytest.mark.parametrize(
    "words",
    [
        "Qwen/Qwen3.6-27B, --gpu-memory-util, '0.9'",  # an abbreviation that only one option has
        "Qwen/Qwen3.6-27B, --max_model_len, 128k",
        "Qwen/Qwen3.6-27B, --compilation-config.cudagraph_mode, PIECEWISE",
        "--model=Qwen/Qwen3.6-27B, -O2, -tp, '2', --no-enable-prefix-caching",
    ],
)
def test_what_the_parser_takes_is_not_told(tmp_path: Path, words: str) -> None:
    assert told(tmp_path, command(words)) == []


def test_an_option_that_has_gone_is_told_once_whatever_its_value(tmp_path: Path) -> None:
    words = f"{LAUNCH}, --mamba-scheduler-strategy, nonsense"
    assert [each.rule for each in told(tmp_path, command(words, SGLANG.format("0.5.23")))] == ["renamed-flag"]


def test_a_release_that_nobody_names_is_told_nothing_definite(tmp_path: Path) -> None:
    found = told(tmp_path, command("Qwen/Qwen3.6-27B, --enable-prefix-cachng", "vllm/vllm-openai:latest"))
    assert [each.rule for each in found if each.certainty is Certainty.DEFINITE] == ["version-unpinned"]


@pytest.mark.parametrize(
    ("variable", "change"),
    [
        ("VLLM_ATTENTION_BACKEND", "--attention-backend is its place now"),
        ("VLLM_LOGING_LEVEL", "write VLLM_LOGGING_LEVEL instead of VLLM_LOGING_LEVEL"),
    ],
)
def test_a_variable_without_effect(tmp_path: Path, variable: str, change: str) -> None:
    text = command("Qwen/Qwen3.6-27B", more=f"    environment: {{{variable}: '1'}}\n")
    finding = only(told(tmp_path, text), "ignored-env-var")
    assert (finding.severity, finding.place.line) == (Severity.MEDIUM, 5)
    assert finding.fix is not None
    assert change in finding.fix.text


@pytest.mark.parametrize("variable", ["VLLM_OUR_OWN_PLUGIN", "VLLM_LOGGING_LEVEL", "NCCL_DEBUG", "SGLANG_LOGGING"])
def test_a_variable_that_is_read_or_somebody_elses(tmp_path: Path, variable: str) -> None:
    assert told(tmp_path, command("Qwen/Qwen3.6-27B", more=f"    environment: {{{variable}: '1'}}\n")) == []


def test_an_old_method_name_is_low(tmp_path: Path) -> None:
    finding = only(
        told(tmp_path, command("Qwen/Qwen3.6-27B, --spec-method, qwen3_5_mtp, --spec-tokens, '1'")),
        "deprecated-spec-method",
    )
    assert finding.severity is Severity.LOW
    assert "vllm-deprecated-mtp-method" in finding.aliases


def test_what_was_not_read_in_the_very_release_is_possible(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(command("Qwen/Qwen3.6-27B"), encoding="utf-8")
    (profile,) = load([path]).profiles
    problem = OptionProblem("unknown-flag", "no option --x", Place("compose.yaml", 4, 15), "--x", certain=False)
    finding = unknown_flag.tell(profile, Settings("vllm", "0.32.0"), problem)
    assert finding.certainty is Certainty.POSSIBLE
    assert finding.why[-1].holds is None


def test_every_kind_that_an_engine_can_give_has_a_rule() -> None:
    """Whatever kind a reader of an engine gives its problems, somebody tells it."""
    like = re.compile(
        r"(?:unknown|removed|renamed|not|invalid|ignored|deprecated|duplicate|env|broken|empty)(?:-[a-z]+)+"
    )
    kinds = {
        node.value
        for module in Path(pytest_qwen_mtp.engines.__path__[0]).glob("*.py")
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and like.fullmatch(node.value)
    }
    assert {"unknown-flag", "not-yet-flag", "duplicate-serve"} <= kinds
    assert kinds <= {rule.id for rule in RULES}


def test_problems_of_no_known_kind_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(command("Qwen/Qwen3.6-27B, --enable-prefix-cachng"), encoding="utf-8")
    (profile,) = load([path]).profiles
    (reading,) = read(profile)
    assert apply((), profile, reading) == []
