from __future__ import annotations

from pathlib import Path

from pytest_qwen_mtp.findings import Certainty, Finding, Fix, Place, Reason, Severity
from pytest_qwen_mtp.reports.failure import failure_of, quoted_line


def test_a_finding_shows_place_reason_change_and_references(tmp_path: Path) -> None:
    file = tmp_path / "compose.yaml"
    file.write_text("services:\n  qwen:\n    image: vllm/vllm-openai:v0.27.1\n", encoding="utf-8")
    place = Place(str(file), 3, 12)
    finding = Finding(
        rule="vllm-1",
        severity=Severity.CRITICAL,
        certainty=Certainty.DEFINITE,
        place=place,
        message="answers are cut off",
        check="known-bugs",
        why=(Reason("vLLM 0.27.1 is affected", place=place), Reason("the GPU is an H100", holds=None)),
        fix=Fix("use v0.28.0"),
        references=("vllm-project/vllm#43559", "vllm 0.27.1, v1/core.py"),
        when="EAGER is set",
    )
    assert str(failure_of([finding], tmp_path)) == "\n".join(
        [
            "CRITICAL vllm-1: answers are cut off",
            "  --> compose.yaml:3:12",
            "  3 |     image: vllm/vllm-openai:v0.27.1",
            "    |            ^",
            "  when: EAGER is set",
            "  why:",
            "    - vLLM 0.27.1 is affected  (compose.yaml:3:12)",
            "    - not known: the GPU is an H100",
            "  change: use v0.28.0",
            "  see: https://github.com/vllm-project/vllm/issues/43559, vllm 0.27.1, v1/core.py",
            "  more: qwen-mtp explain vllm-1",
        ]
    )


def place_in(tmp_path: Path, text: str, line: int, column: int | None) -> Place:
    file = tmp_path / "a.yaml"
    file.write_bytes(text.encode())
    return Place(str(file), line, column)


def test_the_caret_stands_under_the_column_of_wide_and_tabbed_text(tmp_path: Path) -> None:
    assert quoted_line(place_in(tmp_path, "# 千問\tx\n", 1, 6)) == ["  1 | # 千問 x", "    |       " + " ^"]


def test_of_a_long_line_only_the_part_round_the_place_is_shown(tmp_path: Path) -> None:
    line, caret = quoted_line(place_in(tmp_path, "a" * 5000 + "X" + "b" * 5000, 1, 5001))
    assert len(line) < 130
    assert line[caret.index("^")] == "X"


def test_a_line_cannot_steer_the_terminal(tmp_path: Path) -> None:
    assert quoted_line(place_in(tmp_path, "a\x1b[2Jb\r\n", 1, None)) == ["  1 | a\\x1b[2Jb"]


def test_a_place_without_line_or_file_shows_nothing(tmp_path: Path) -> None:
    assert quoted_line(Place(str(tmp_path / "a.yaml"))) == []
    assert quoted_line(Place(str(tmp_path / "gone.yaml"), 1, 1)) == []
    assert quoted_line(place_in(tmp_path, "one line\n", 7, 1)) == []


def test_a_column_behind_the_end_points_at_the_end(tmp_path: Path) -> None:
    assert quoted_line(place_in(tmp_path, "abc\n", 1, 99)) == ["  1 | abc", "    |    ^"]


def test_of_many_references_two_are_shown(tmp_path: Path) -> None:
    urls = tuple(f"https://example.org/{number}" for number in range(5))
    finding = Finding("x-1", Severity.HIGH, Certainty.DEFINITE, Place("a"), "It stops.", "command", references=urls)
    assert "  see: https://example.org/0, https://example.org/1 and 3 more" in str(failure_of([finding], tmp_path))
