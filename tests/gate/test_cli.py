from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_qwen_mtp import __version__
from pytest_qwen_mtp.cli import main

COMPOSE = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    environment:
      HF_TOKEN:
      OMP_NUM_THREADS: "4"
    command: [--model, Qwen/Qwen3.6-27B, --port, "${PORT}", --served-model-name, a, b c]
  cache:
    image: redis:8
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scrubbed: None) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "compose.yaml").write_text(COMPOSE, encoding="utf-8")
    return tmp_path


def test_resolve_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "compose.yaml"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "compose.yaml  qwen"
    assert lines[1].startswith("  engine      vllm  (")
    assert lines[2].startswith("  version     0.32.0  (")
    assert "compose.yaml:3:12" in lines[2]
    assert "    model       Qwen/Qwen3.6-27B  (family qwen3.6)" in lines
    assert "    --model Qwen/Qwen3.6-27B    [compose.yaml:7:15]" in lines
    assert "    --served-model-name a 'b c'    [compose.yaml:7:61]" in lines
    assert "  env         HF_TOKEN (passed through)" in lines
    assert "  unresolved  PORT    [compose.yaml:7:51]" in lines
    assert "Traceback" not in err


def test_resolve_as_json_is_the_profiles_of_the_report(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], scrubbed: None
) -> None:
    (pytester.path / "compose.yaml").write_text(COMPOSE, encoding="utf-8")
    assert main(["resolve", "compose.yaml", "--json"]) == 0
    resolved = json.loads(capsys.readouterr().out)
    pytester.runpytest_inprocess("--mtp-profiles", "compose.yaml", "--mtp-report", "json=mtp.json")
    report = json.loads((pytester.path / "mtp.json").read_text(encoding="utf-8"))
    assert resolved == {"profiles": report["profiles"]}


def test_the_environment_and_the_version_can_be_stated(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORT", "8123")
    main(["resolve", "compose.yaml", "--json", "--engine-version", "0.31.0"])
    (profile,) = json.loads(capsys.readouterr().out)["profiles"]
    assert "8123" not in profile["commands"][0]["argv"]
    main(["resolve", "compose.yaml", "--json", "--env"])
    (profile,) = json.loads(capsys.readouterr().out)["profiles"]
    assert "8123" in profile["commands"][0]["argv"]


def test_what_cannot_be_read_is_told_and_the_rest_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tab.yaml").write_text("services:\n  a:\n\timage: x\n", encoding="utf-8")
    assert main(["resolve", "tab.yaml", "compose.yaml", "--json"]) == 1
    out, err = capsys.readouterr()
    assert [profile["service"] for profile in json.loads(out)["profiles"]] == ["qwen"]
    assert err.startswith("tab.yaml:3:1: tab-in-indentation: ")


def test_a_file_that_starts_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "redis.yaml").write_text("services: {cache: {image: 'redis:8'}}\n", encoding="utf-8")
    assert main(["resolve", "redis.yaml"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "redis.yaml: starts no inference server that is known here\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["resolve", "gone.yaml"], "qwen-mtp: FILE: gone.yaml does not exist"),
        (["resolve", "compose.yaml", "--engine-version", "new"], "qwen-mtp: --engine-version 'new': 'new' is not"),
        (["explain", "version-unpined"], "did you mean version-unpinned"),
        (["explain", "zzzzzzzz"], "`qwen-mtp rules` lists them all"),
    ],
)
def test_wrong_usage(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "vllm-43559"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# vllm-43559: ")
    assert "\n## What to change\n" in out


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    text = capsys.readouterr().out
    assert main(["rules", "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert [line.split()[0] for line in text.splitlines()] == [rule["id"] for rule in rules]
    assert main(["rules", "--engine", "llamacpp", "--json"]) == 0
    assert {rule["engine"] for rule in json.loads(capsys.readouterr().out)["rules"]} <= {"llamacpp", None}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"qwen-mtp {__version__}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of this kind there")
def test_a_reader_that_stops_early_hears_no_complaint() -> None:
    code = "import sys; from pytest_qwen_mtp.cli import main; sys.exit(main(['rules', '--json']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait()
