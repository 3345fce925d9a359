from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_qwen_mtp.reports.json_report import write
from pytest_qwen_mtp.schema import read_schema


def report(repository: pytest.Pytester, *arguments: str) -> dict[str, Any]:
    repository.runpytest_inprocess("--mtp-profiles", "profiles", "--mtp-report", "json=out/mtp.json", *arguments)
    value: dict[str, Any] = json.loads((repository.path / "out" / "mtp.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(read_schema("report")).validate(value)
    return value


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(read_schema("report"))


def test_profiles_and_findings(repository: pytest.Pytester) -> None:
    value = report(repository)
    assert value["schema"] == "pytest-qwen-mtp/report/1"
    assert value["registry"]["entries"] > 0
    lost, safe = value["profiles"]
    assert (lost["path"], lost["service"]) == ("profiles/lost.yaml", "lost")
    assert {name: safe[name] for name in ("engine", "engine_version", "image", "model", "speculative")} == {
        "engine": "vllm",
        "engine_version": "0.32.0",
        "image": "vllm/vllm-openai:v0.32.0",
        "model": "Qwen/Qwen3-Embedding-0.6B",
        "speculative": None,
    }
    argv = ["vllm", "serve", "--model", "Qwen/Qwen3-Embedding-0.6B", "--port", "8000"]
    assert safe["commands"] == [{"argv": argv, "when": None, "speculative": None}]
    (finding,) = value["findings"]
    assert (finding["rule"], finding["path"], finding["line"]) == ("empty-model", "profiles/lost.yaml", 5)


def test_two_processes_write_the_same_report(repository: pytest.Pytester) -> None:
    alone = report(repository)
    assert report(repository, "-n", "2") == alone


def test_only_what_ran_is_reported(repository: pytest.Pytester) -> None:
    value = report(repository, "-k", "qwen and command")
    assert [profile["service"] for profile in value["profiles"]] == ["qwen"]
    assert value["findings"] == []


def test_collecting_alone_writes_no_report(repository: pytest.Pytester) -> None:
    repository.runpytest_inprocess("--mtp-profiles", "profiles", "--mtp-report", "json=mtp.json", "--collect-only")
    assert not (repository.path / "mtp.json").exists()


def test_a_report_that_cannot_be_written_is_told(repository: pytest.Pytester) -> None:
    (repository.path / "out").write_text("a file stands here\n", encoding="utf-8")
    arguments = ("--mtp-profiles", "profiles/safe.yaml", "--mtp-report", "json=out/mtp.json")
    result = repository.runpytest_inprocess(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["ERROR: --mtp-report: cannot write *mtp.json*"])


def test_writing_replaces_in_one_step_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "mtp.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(TypeError):
        write(path, {"not": object()})
    assert path.read_text(encoding="utf-8") == "old"
    write(path, {"new": "千"})
    assert json.loads(path.read_text(encoding="utf-8")) == {"new": "千"}
    assert [each.name for each in tmp_path.iterdir()] == ["mtp.json"]
    other = tmp_path / "other"
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
