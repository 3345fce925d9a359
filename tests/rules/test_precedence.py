"""One fault, one finding: a rule and an entry of the registry that say the same about one option."""

from __future__ import annotations

from pathlib import Path

import pytest
from started import command, told

from pytest_qwen_mtp.findings import Certainty, Finding, Place, Reason, Severity
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.rules import RULES
from pytest_qwen_mtp.rules.precedence import one_of_each

LAUNCH = "python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3.6-27B-FP8"
WORDS = [Word(text, Place("a.yaml", 1, column)) for column, text in enumerate(["m", "--bad", "--mode", "all"], 1)]


def finding(rule: str, column: int, check: str = "command", certainty: str = "definite") -> Finding:
    place = Place("a.yaml", 1, column)
    severity = Severity.CRITICAL if check == "known-bugs" else Severity.HIGH
    return Finding(rule, severity, Certainty(certainty), place, f"{rule} says so", check, why=(Reason(rule),))


@pytest.mark.parametrize(
    ("rule", "entry", "image", "words"),
    [
        (
            "unknown-flag",
            "sglang-enable-prefix-caching",
            "lmsysorg/sglang:v0.5.22",
            f"{LAUNCH}, --enable-prefix-caching",
        ),
        (
            "renamed-flag",
            "sglang-mamba-strategy-renamed",
            "lmsysorg/sglang:v0.5.23",
            f"{LAUNCH}, --mamba-scheduler-strategy, extra_buffer",
        ),
        (
            "invalid-flag-value",
            "vllm-mamba-cache-mode-all-removed",
            "vllm/vllm-openai:v0.32.0",
            "Qwen/Qwen3.6-27B, --mamba-cache-mode, all",
        ),
    ],
)
def test_the_rule_is_told_with_what_the_entry_knows(
    tmp_path: Path, rule: str, entry: str, image: str, words: str
) -> None:
    found = told(tmp_path, command(words, image))
    assert [each.rule for each in found] == [rule]
    assert entry in found[0].aliases
    known = load_registry().get(entry)
    assert known is not None
    assert found[0].message == known.symptom
    assert found[0].severity is known.severity
    assert set(known.references) <= set(found[0].references)


def test_the_same_rule_about_another_option_stays() -> None:
    bug = finding("sglang-enable-prefix-caching", 2, "known-bugs")
    told_ = one_of_each([bug], [finding("unknown-flag", 3)], load_registry(), WORDS)
    assert [each.rule for each in told_] == ["sglang-enable-prefix-caching", "unknown-flag"]


def test_a_value_is_about_its_option() -> None:
    bug = finding("vllm-mamba-cache-mode-all-removed", 3, "known-bugs", "possible")
    (both,) = one_of_each([bug], [finding("invalid-flag-value", 4)], load_registry(), WORDS)
    assert (both.rule, both.certainty, both.severity) == ("invalid-flag-value", Certainty.DEFINITE, Severity.CRITICAL)
    assert [reason.text for reason in both.why] == ["invalid-flag-value", "vllm-mamba-cache-mode-all-removed"]


def test_an_entry_stands_alone_where_the_release_is_not_known() -> None:
    bug = finding("sglang-enable-prefix-caching", 2, "known-bugs")
    assert one_of_each([bug], [], load_registry(), WORDS) == [bug]


def test_every_entry_names_a_rule_that_is_there() -> None:
    named = {entry.rule for entry in load_registry().entries if entry.rule is not None}
    assert named
    assert named <= {rule.id for rule in RULES}


def test_the_pieces_of_a_value_that_was_split_are_no_faults_of_their_own(tmp_path: Path) -> None:
    text = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: [bash, -c]
    command:
      - vllm serve Qwen/Qwen3.6-27B --speculative-config {"method":"mtp","num_speculative_tokens":2} --port 8000
"""
    assert [each.rule for each in told(tmp_path, text)] == ["invalid-speculative-config"]


def test_a_word_behind_another_option_is_one(tmp_path: Path) -> None:
    found = told(tmp_path, command("Qwen/Qwen3.6-27B, --max-model-len, much, --port, '8000', stray"))
    assert {each.rule for each in found} == {"invalid-flag-value", "unknown-flag"}
