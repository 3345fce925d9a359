"""The baseline of findings: what it accepts, what counts as new, and what is wrong with a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_qwen_mtp.baseline import SCHEMA, read_baseline, setting_text
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.schema import read_schema

FILE = "mtp-baseline.json"
USE = ("--mtp-profiles", "profiles", "--mtp-baseline-findings", FILE)
OLD = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.26.0
    command:
      - --model=a/b
      - --no-such-flag=1
"""


@pytest.fixture
def profiles(repository: pytest.Pytester) -> Path:
    """A folder whose only file has one failing finding, and a baseline that holds it."""
    folder = repository.path / "profiles"
    for path in folder.iterdir():
        path.unlink()
    (folder / "compose.yaml").write_text(OLD, encoding="utf-8")
    assert repository.runpytest_inprocess(*USE[:2]).ret == pytest.ExitCode.TESTS_FAILED
    assert repository.runpytest_inprocess(*USE, "--mtp-write-baseline").ret == pytest.ExitCode.OK
    return folder


def change(folder: Path, old: str, new: str) -> None:
    path = folder / "compose.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def written(repository: pytest.Pytester) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((repository.path / FILE).read_text(encoding="utf-8"))
    return value


def test_the_file_follows_its_schema_and_is_stable(repository: pytest.Pytester, profiles: Path) -> None:
    validator = jsonschema.Draft202012Validator(read_schema("baseline"))
    validator.check_schema(validator.schema)
    validator.validate(written(repository))
    flag = next(each for each in written(repository)["findings"] if each["rule"] == "unknown-flag")
    assert flag == {
        "rule": "unknown-flag",
        "path": "profiles/compose.yaml",
        "service": "qwen",
        "text": "--no-such-flag=1",
        "certainty": "definite",
        "count": 1,
    }
    before = (repository.path / FILE).read_bytes()
    repository.runpytest_inprocess(*USE, "--mtp-write-baseline", "-n", "2")
    assert (repository.path / FILE).read_bytes() == before


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_what_is_in_the_file_fails_nothing(
    repository: pytest.Pytester, profiles: Path, workers: tuple[str, ...]
) -> None:
    result = repository.runpytest_inprocess(*USE, *workers)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["qwen-mtp: 1 profile in 1 file, 1 command: no others; * in the baseline"])
    assert "no longer" not in result.stdout.str()


def test_lines_may_move_and_the_option_before_may_change(repository: pytest.Pytester, profiles: Path) -> None:
    change(profiles, "services:", "# a word\n\nservices:")
    change(profiles, "      - --model=a/b\n      - ", "      - --model=c/d\n      - --port=1\n      - ")
    assert repository.runpytest_inprocess(*USE).ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--no-such-flag=1", "--no-such-flag=2"),
        ("--no-such-flag=1", "--no-such-flag=1\n      - --no-such-flag=1"),
        ("--no-such-flag=1", "--no-such-flag=1\n      - --nor-this"),
        ("  qwen:", "  renamed:"),
    ],
    ids=["value", "twice", "another", "service"],
)
def test_what_is_new_fails(repository: pytest.Pytester, profiles: Path, old: str, new: str) -> None:
    change(profiles, old, new)
    assert repository.runpytest_inprocess(*USE).ret == pytest.ExitCode.TESTS_FAILED


def test_a_possible_finding_in_the_file_does_not_accept_a_definite_one(
    repository: pytest.Pytester, profiles: Path
) -> None:
    content = written(repository)
    for each in content["findings"]:
        each["certainty"] = "possible"
    (repository.path / FILE).write_text(json.dumps(content), encoding="utf-8")
    assert repository.runpytest_inprocess(*USE).ret == pytest.ExitCode.TESTS_FAILED


def test_what_no_longer_occurs_is_told_in_one_line(repository: pytest.Pytester, profiles: Path) -> None:
    change(profiles, "      - --no-such-flag=1\n", "")
    result = repository.runpytest_inprocess(*USE)
    line = f"qwen-mtp: 1 of {FILE} no longer occur (unknown-flag): write it again with --mtp-write-baseline"
    assert result.stdout.lines.count(line) == 1
    part = repository.runpytest_inprocess(*USE, "-k", "weights")
    assert "no longer occur" not in part.stdout.str()


def test_a_suppressed_finding_is_not_written(repository: pytest.Pytester, profiles: Path) -> None:
    change(profiles, "--no-such-flag=1", "--no-such-flag=1 # qwen-mtp: ignore[unknown-flag] reason=x")
    repository.runpytest_inprocess(*USE, "--mtp-write-baseline")
    assert "unknown-flag" not in [each["rule"] for each in written(repository)["findings"]]


@pytest.mark.parametrize("part", [("-k", "command"), ("-m", "not mtp"), ("profiles/compose.yaml::qwen::command",)])
def test_a_part_of_the_checks_writes_nothing(
    repository: pytest.Pytester, profiles: Path, part: tuple[str, ...]
) -> None:
    before = (repository.path / FILE).read_bytes()
    result = repository.runpytest_inprocess(*USE, "--mtp-write-baseline", *part)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["ERROR: --mtp-write-baseline: only a part of the checks ran; nothing is written*"])
    assert (repository.path / FILE).read_bytes() == before


def test_what_it_holds_about_other_files_stays(repository: pytest.Pytester, profiles: Path) -> None:
    text = (profiles / "compose.yaml").read_text(encoding="utf-8")
    (repository.mkdir("more") / "compose.yaml").write_text(text, encoding="utf-8")
    repository.runpytest_inprocess("--mtp-profiles", "more", *USE[2:], "--mtp-write-baseline")
    assert {each["path"] for each in written(repository)["findings"]} == {"more/compose.yaml", "profiles/compose.yaml"}
    assert repository.runpytest_inprocess(*USE).ret == pytest.ExitCode.OK


def test_secrets_stay_out_of_the_file(repository: pytest.Pytester, profiles: Path) -> None:
    change(profiles, "--no-such-flag=1", "--no-such-api-key=abcdefgh12345")
    repository.runpytest_inprocess(*USE, "--mtp-write-baseline")
    assert "abcdefgh12345" not in (repository.path / FILE).read_text(encoding="utf-8")


def test_writing_needs_a_file(repository: pytest.Pytester) -> None:
    result = repository.runpytest_inprocess("--mtp-profiles", "profiles", "--mtp-write-baseline")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --mtp-write-baseline needs --mtp-baseline-findings FILE*"])


GOOD = {"rule": "a", "path": "b", "service": None, "text": "", "certainty": "definite", "count": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist; --mtp-write-baseline writes it"),
        ('{\n "schema": oops}', ":2:12: is not JSON"),
        ("[]", ":1:1: expected an object"),
        ('{\n "schema": "x"}', ":2:12: schema: expected 'pytest-qwen-mtp/baseline/1', found 'x'"),
        ({"schema": SCHEMA}, "findings: expected a list"),
        ({"schema": SCHEMA, "findings": [1]}, "findings[0]: expected an object, found 1"),
        ({"schema": SCHEMA, "findings": [GOOD, {"rule": "a"}]}, "findings[1]: expected the fields rule, path"),
        ({"schema": SCHEMA, "findings": [{**GOOD, "rule": 3}]}, "findings[0].rule: expected a text, found 3"),
        ({"schema": SCHEMA, "findings": [{**GOOD, "service": 3}]}, "findings[0].service: expected a text or null"),
        ({"schema": SCHEMA, "findings": [{**GOOD, "certainty": "x"}]}, "findings[0].certainty: expected definite"),
        ({"schema": SCHEMA, "findings": [{**GOOD, "count": 0}]}, "findings[0].count: expected a number from 1"),
    ],
)
def test_a_bad_file_is_wrong_usage_with_a_place(repository: pytest.Pytester, content: Any, message: str) -> None:
    if content is not None:
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        (repository.path / FILE).write_text(text, encoding="utf-8")
    result = repository.runpytest_inprocess(*USE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()
    assert FILE in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


def test_the_place_of_a_wrong_field(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text(json.dumps({"schema": SCHEMA, "findings": [{**GOOD, "count": 0}]}, indent=1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"baseline\.json:10:13: "):
        read_baseline(path)


@pytest.mark.parametrize(
    ("line", "column", "text"),
    [
        ("    - --max-num-seqs=64  # why", 7, "--max-num-seqs=64"),
        ("vllm serve a/b  --k   64 --port 8000 \\", 17, "--k 64"),
        ('command: [--model, "a/b", --port, "8000"]', 20, "a/b"),
        ("  --last \\", 3, "--last"),
        ("    image: 'vllm/vllm-openai:v0.26.0'", 12, "vllm/vllm-openai:v0.26.0"),
    ],
)
def test_the_text_of_a_setting(tmp_path: Path, line: str, column: int, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    assert setting_text(Place(str(path), 2, column), {}) == text


def test_a_whole_file_has_no_text(tmp_path: Path) -> None:
    assert setting_text(Place(str(tmp_path / "gone.yaml")), {}) == ""
    assert setting_text(Place(str(tmp_path / "gone.yaml"), 3, 1), {}) == ""
