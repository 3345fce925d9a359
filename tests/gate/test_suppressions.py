"""Suppressions: what a comment covers, what is wrong with one, and what a run makes of them."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pytest_qwen_mtp.suppressions import Suppression, has_mark, read_comments

BUG = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.26.0{image}
{above}    command:{key}
      - --model
      - Qwen/Qwen3.6-27B-FP8
      - --enable-prefix-caching
      - --mamba-block-size=9{trailing}
      - --no-such-flag{flag}
{block}
"""
GOOD = "# qwen-mtp: ignore[unknown-flag] reason=a fork has it"


def one(text: str) -> Suppression:
    (found,) = read_comments(text, "a.yaml")
    return found


def lines_of(text: str) -> tuple[int, int] | None:
    return one(text).lines


@pytest.mark.parametrize(
    ("comment", "rules", "until", "reason"),
    [
        ("ignore[vllm-1] reason=it is patched", ("vllm-1",), None, "it is patched"),
        ("ignore[vllm-1, L457] until=2027-01-31 reason=both", ("vllm-1", "L457"), date(2027, 1, 31), "both"),
        ("ignore[a] reason=later until=2027-01-31", ("a",), date(2027, 1, 31), "later"),
        ('ignore[a] reason="in quotes"', ("a",), None, "in quotes"),
        ("ignore[a]", ("a",), None, None),
        ("ignore[a] reason=", ("a",), None, None),
        ("ignore[a] until=2027-01-31", ("a",), date(2027, 1, 31), None),
    ],
)
def test_the_parts_of_a_comment(comment: str, rules: tuple[str, ...], until: date | None, reason: str | None) -> None:
    found = one(f"# qwen-mtp: {comment}\na: 1\n")
    assert (found.rules, found.until, found.reason, found.wrong) == (rules, until, reason, None)


@pytest.mark.parametrize(
    ("comment", "wrong"),
    [
        ("ignore vllm-1 reason=x", "'ignore vllm-1 reason=x' is not understood"),
        ("ignore[] reason=x", "it names no rule"),
        ("ignore[ , ] reason=x", "it names no rule"),
        ("ignore[a] until=soon reason=x", "until=soon is no day"),
        ("ignore[a] until=2027-02-30 reason=x", "until=2027-02-30 is no day"),
        ("ignore[a] because it works", "'because it works' is not understood"),
        ("off", "'off' is not understood"),
    ],
)
def test_a_comment_that_cannot_be_read_says_why(comment: str, wrong: str) -> None:
    found = one(f"a: 1 # qwen-mtp: {comment}\n")
    assert found.wrong is not None
    assert found.wrong.startswith(wrong)
    assert (found.place.line, found.place.column) == (1, 6)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"a: 1 {GOOD}\nb: 2\n", (1, 1)),
        (f"{GOOD}\na: 1\nb: 2\n", (2, 2)),
        (f"{GOOD}\n# another word\n\na: 1\nb: 2\n", (4, 4)),
        (f"{GOOD}\ncommand: >-\n  vllm serve\n\n  --x\nb: 2\n", (2, 5)),
        (f"command: | {GOOD}\n  vllm serve\n  --x\nb: 2\n", (1, 3)),
        (f"{GOOD}\ncommand:\n- vllm\n- --x\nb: 2\n", (2, 4)),
        (f"{GOOD}\n- vllm\n- --x\n", (2, 2)),
        (f"{GOOD}\nvllm serve x \\\n  --a \\\n--b\necho\n", (2, 4)),
        (f"vllm serve x \\\n--a \\\n--b {GOOD}\necho\n", (1, 3)),
        (f"a: 1\n{GOOD}\n", (2, 2)),
    ],
)
def test_the_lines_that_a_comment_covers(text: str, lines: tuple[int, int]) -> None:
    assert lines_of(text) == lines


def test_what_stands_in_quotes_or_inside_a_word_is_no_comment() -> None:
    assert read_comments(f"a: 'x {GOOD}'\nb: \"{GOOD}\"\nc: x{GOOD}\n", "a.yaml") == ()
    assert len(read_comments(f"a: don't {GOOD}\nb: 'x' {GOOD}\n", "a.yaml")) == 2


# -- a run


class Gate:
    def __init__(self, repository: pytest.Pytester) -> None:
        self.pytester = repository

    def run(self, *arguments: str, text: str | None = None, name: str = "compose.yaml", **parts: str) -> Any:
        folder = self.pytester.path / "deploy"
        folder.mkdir(exist_ok=True)
        names = ("image", "above", "key", "trailing", "flag", "block")
        content = BUG.format(**{**dict.fromkeys(names, ""), **parts}) if text is None else text
        (folder / name).write_text(content, encoding="utf-8")
        result = self.pytester.runpytest_inprocess(
            "--mtp-profiles", "deploy", "--mtp-report", "json=r.json", *arguments
        )
        self.findings = json.loads((self.pytester.path / "r.json").read_text(encoding="utf-8"))["findings"]
        return result

    def rules(self) -> list[tuple[str, int]]:
        told = [each for each in self.findings if each["rule"].startswith("suppression-")]
        return [(each["rule"], each["line"]) for each in told]

    def suppressed(self, rule: str = "unknown-flag") -> dict[str, str | None] | None:
        (found,) = [each for each in self.findings if each["rule"] == rule]
        value: dict[str, str | None] | None = found["suppressed"]
        return value


@pytest.fixture
def gate(repository: pytest.Pytester) -> Gate:
    return Gate(repository)


ACCEPTED = {"reason": "a fork has it", "until": None}


@pytest.mark.parametrize(
    "parts",
    [
        {"flag": f" {GOOD}"},
        {"trailing": f"\n      {GOOD}"},
        {"key": f" {GOOD}"},
        {"above": f"    {GOOD}\n"},
        {"block": "    x-qwen-mtp: {ignore: [{rule: unknown-flag, reason: a fork has it}]}"},
        {"block": "x-qwen-mtp: {ignore: [{rule: Unknown-Flag, reason: a fork has it}]}"},
        {"block": "x-qwen-mtp:\n  ignore:\n    - rule: [unknown-flag]\n      reason: a fork has it\n      until:"},
    ],
    ids=["on", "above", "on-key", "above-key", "service", "top", "block-style"],
)
def test_a_suppressed_finding_fails_nothing_and_is_told(gate: Gate, parts: dict[str, str]) -> None:
    assert gate.run().ret == pytest.ExitCode.TESTS_FAILED
    assert gate.suppressed() is None
    result = gate.run("-v", **parts)
    assert result.ret == pytest.ExitCode.OK
    assert gate.suppressed() == ACCEPTED
    assert gate.rules() == []
    result.stdout.fnmatch_lines(["qwen-mtp: *; 1 suppressed", "*suppressed unknown-flag: a fork has it"])


def test_the_last_day_is_carried_into_the_report(gate: Gate) -> None:
    gate.run(flag=" # qwen-mtp: ignore[unknown-flag] until=2999-01-31 reason=a fork has it")
    assert gate.suppressed() == {"reason": "a fork has it", "until": "2999-01-31"}


def test_without_a_reason_nothing_is_suppressed(gate: Gate) -> None:
    assert gate.run(flag=" # qwen-mtp: ignore[unknown-flag]").ret == pytest.ExitCode.TESTS_FAILED
    assert gate.suppressed() is None
    assert gate.rules() == [("suppression-without-reason", 9)]


def test_an_expired_suppression_is_told_and_its_finding_counts(gate: Gate) -> None:
    comment = " # qwen-mtp: ignore[unknown-flag] until=2020-02-01 reason=soon fixed"
    assert gate.run(flag=comment).ret == pytest.ExitCode.TESTS_FAILED
    assert gate.suppressed() is None
    assert gate.rules() == [("suppression-expired", 9)]


def test_the_last_day_itself_still_counts(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_qwen_mtp.gate.Gate.today", date(2026, 3, 4))
    gate.run(flag=" # qwen-mtp: ignore[unknown-flag] until=2026-03-04 reason=x")
    assert gate.suppressed() is not None
    gate.run(flag=" # qwen-mtp: ignore[unknown-flag] until=2026-03-03 reason=x")
    assert gate.suppressed() is None


def test_an_unused_suppression_is_told_for_each_of_its_ids(gate: Gate) -> None:
    gate.run(flag=" # qwen-mtp: ignore[unknown-flag, L457] reason=x")
    assert gate.rules() == [("suppression-unused", 9)]
    gate.run(image=f" {GOOD}")
    assert gate.suppressed() is None
    assert gate.rules() == [("suppression-unused", 3)]


def test_an_unknown_id_is_told_and_the_others_hold(gate: Gate) -> None:
    gate.run(flag=" # qwen-mtp: ignore[unknown-flag, vllm-0] reason=x")
    assert gate.suppressed() is not None
    assert gate.rules() == [("suppression-unknown-rule", 9)]


@pytest.mark.parametrize(
    ("block", "rule"),
    [
        ("x-qwen-mtp: {ignore: unknown-flag}", "suppression-invalid"),
        ("x-qwen-mtp: {ignore: [unknown-flag]}", "suppression-invalid"),
        ("x-qwen-mtp: {ignore: [{reason: x}]}", "suppression-invalid"),
        ("x-qwen-mtp: {ignore: [{rule: unknown-flag, why: x}]}", "suppression-invalid"),
        ("x-qwen-mtp: {ignore: [{rule: unknown-flag, reason: x, until: [1]}]}", "suppression-invalid"),
        ("x-qwen-mtp: {ignore: [{rule: unknown-flag, reason: x, until: never}]}", "suppression-invalid"),
        ("x-qwen-mtp: {ignore: [{rule: unknown-flag}]}", "suppression-without-reason"),
        ("x-qwen-mtp: {ignore: [{rule: unknown-flag, reason: x, until: 2020-01-01}]}", "suppression-expired"),
        ("x-qwen-mtp: {ignore: [{rule: vllm-0, reason: x}]}", "suppression-unknown-rule"),
    ],
)
def test_what_is_wrong_with_an_item_is_told_at_its_place(gate: Gate, block: str, rule: str) -> None:
    assert gate.run(block=block).ret == pytest.ExitCode.TESTS_FAILED
    assert gate.suppressed() is None
    assert gate.rules() == [(rule, 10)]


def test_a_block_of_one_service_leaves_the_others_alone(gate: Gate) -> None:
    accepted = "    x-qwen-mtp: {ignore: [{rule: unknown-flag, reason: a fork has it}]}"
    other = "  other:\n    image: vllm/vllm-openai:v0.26.0\n    command: [--model, a/b, --no-such-flag]"
    assert gate.run(block=f"{accepted}\n{other}").ret == pytest.ExitCode.TESTS_FAILED
    states = {each["service"]: each["suppressed"] for each in gate.findings if each["rule"] == "unknown-flag"}
    assert states == {"qwen": ACCEPTED, "other": None}
    assert gate.rules() == []


def test_a_comment_that_one_of_two_servers_needs_is_used(gate: Gate) -> None:
    text = """\
x-flags: &flags
  # qwen-mtp: ignore[unknown-flag] reason=a fork has it
  command: [--model, a/b, --no-such-flag]
services:
  one: {image: "vllm/vllm-openai:v0.26.0", <<: *flags}
  two: {image: "vllm/vllm-openai:v0.26.0", command: [--model, a/b]}
"""
    for chosen in ("two", "one or two"):
        assert gate.run("-k", chosen, text=text).ret == pytest.ExitCode.OK
        assert gate.rules() == []


def test_comments_in_a_script(gate: Gate) -> None:
    script = "#!/bin/bash\n{}exec vllm serve a/b \\\n  --port 8000 \\\n  --no-such-flag{}\n"
    name = "serve.sh"
    gate.run("--mtp-engine-version", "0.26.0", text=script.format("", ""), name=name)
    assert gate.suppressed() is None
    for parts in ((f"{GOOD}\n", ""), ("", f" {GOOD}")):
        result = gate.run("--mtp-engine-version", "0.26.0", text=script.format(*parts), name=name)
        assert (result.ret, gate.rules()) == (pytest.ExitCode.OK, [])
        assert gate.suppressed() == ACCEPTED


@pytest.mark.parametrize("where", ["on", "block"])
def test_suppressions_in_a_profile_of_our_own(gate: Gate, where: str) -> None:
    mark, block = (f" {GOOD}", "") if where == "on" else ("", "x-qwen-mtp: {ignore: [{rule: unknown-flag, reason: x}]}")
    text = f'engine: vllm\nversion: "0.26.0"\nmodel: a/b\nargs:\n  - --no-such-flag{mark}\n{block}\n'
    assert gate.run(text=text, name="a.mtp.yaml").ret == pytest.ExitCode.OK
    assert gate.suppressed() is not None
    assert gate.rules() == []


def test_a_finding_about_the_file_itself_is_suppressed(gate: Gate) -> None:
    text = "services:\n  q: {image: vllm/vllm-openai}\n  q: {image: vllm/vllm-openai:v0.26.0}"
    gate.run(text=f"{text}\n")
    assert gate.suppressed("duplicate-key") is None
    gate.run(text=f"{text} # qwen-mtp: ignore[duplicate-key] reason=another reader takes the last\n")
    assert gate.suppressed("duplicate-key") is not None


def test_a_comment_in_an_included_file_counts_for_the_file_that_includes_it(gate: Gate, tmp_path: Path) -> None:
    gate.run(flag=f" {GOOD}")
    (gate.pytester.path / "deploy" / "compose.yaml").rename(gate.pytester.path / "base.yml")
    gate.run(text="include: [../base.yml]\n")
    assert gate.suppressed() == ACCEPTED
    assert gate.rules() == []


def test_two_processes_tell_the_same(gate: Gate) -> None:
    parts = {"flag": f" {GOOD}", "image": " # qwen-mtp: ignore[L457] reason=x"}
    gate.run(**parts)
    alone = gate.findings
    gate.run("-n", "2", **parts)
    assert gate.findings == alone
    assert gate.rules() == [("suppression-unused", 3)]


def test_a_failing_item_shows_what_is_suppressed_last(gate: Gate) -> None:
    result = gate.run("--mtp-fail-on", "low", flag="\n      - --another-one", trailing=f"\n      {GOOD}")
    text = result.stdout.str()
    assert text.index("--another-one") < text.index("  suppressed: a fork has it")


def test_files_without_a_mark_are_read_for_it_once(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("pytest_qwen_mtp.collection.has_mark", lambda path: asked.append(Path(path).name))
    gate.run()
    assert asked == ["compose.yaml"]


def test_a_mark_is_seen_in_every_encoding_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    for encoding in ("utf-8", "utf-16"):
        path.write_text("a: 1 # qwen-mtp: off\n", encoding=encoding)
        assert has_mark(path)
    path.write_text("a: 1\n", encoding="utf-8")
    assert not has_mark(path)
    assert not has_mark(tmp_path)
    assert not has_mark(tmp_path / "gone.yaml")


def test_many_comments_above_one_line_take_linear_time() -> None:
    text = f"{GOOD}\n" * 20_000 + "a: 1\n"
    assert {each.lines for each in read_comments(text, "a.yaml")} == {(20_001, 20_001)}
