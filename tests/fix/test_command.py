"""``qwen-mtp fix`` as it is called: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import codecs
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pytest_qwen_mtp.cli import main
from pytest_qwen_mtp.fixing import write
from pytest_qwen_mtp.profiles.load import kind_of

ROOT = Path(__file__).resolve().parents[2]
TEXT = """\
services:
  qwen:
    image: lmsysorg/sglang:v0.5.23
    command: >-
      python3 -m sglang.launch_server --model-path Qwen/Qwen3.6-27B-FP8
      --mamba-scheduler-strategy extra_buffer
    environment:
      A: é
"""
NEW = TEXT.replace("--mamba-scheduler", "--mamba-radix-cache")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scrubbed: None) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "compose.yaml").write_text(TEXT, encoding="utf-8")
    return tmp_path


def called(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["fix", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_output_is_a_patch_with_its_reasons(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, "compose.yaml")
    assert (code, err) == (0, "")
    assert out.splitlines()[:4] == [
        "# compose.yaml  qwen",
        "#   Safe changes (1)",
        "#     write --mamba-radix-cache-strategy instead of --mamba-scheduler-strategy",
        "#       because of renamed-flag: The server does not start; the option --mamba-scheduler-strategy is an"
        " unrecognized argument.",
    ]
    assert (desk / "compose.yaml").read_text(encoding="utf-8") == TEXT
    subprocess.run(["patch", "-p0", "-s"], input=out.encode(), cwd=desk, check=True)
    assert (desk / "compose.yaml").read_text(encoding="utf-8") == NEW


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TEXT.encode(), NEW.encode()),
        (TEXT.replace("\n", "\r\n").encode(), NEW.replace("\n", "\r\n").encode()),
        (codecs.BOM_UTF8 + TEXT.encode(), codecs.BOM_UTF8 + NEW.encode()),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), codecs.BOM_UTF16_LE + NEW.encode("utf-16-le")),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), codecs.BOM_UTF16_BE + NEW.encode("utf-16-be")),
        (TEXT.rstrip("\n").encode(), NEW.rstrip("\n").encode()),
    ],
    ids=["lf", "crlf", "utf-8 mark", "utf-16 little", "utf-16 big", "no last newline"],
)
def test_write_keeps_everything_else(
    desk: Path, capsys: pytest.CaptureFixture[str], before: bytes, after: bytes
) -> None:
    path = desk / "compose.yaml"
    path.write_bytes(before)
    path.chmod(0o640)
    code, _, err = called(capsys, "compose.yaml", "--write")
    assert (code, err) == (0, "qwen-mtp: compose.yaml: written\n")
    assert path.read_bytes() == after
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in desk.iterdir()] == ["compose.yaml"]


def test_a_link_stays_a_link(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "real").mkdir()
    (desk / "compose.yaml").rename(desk / "real" / "compose.yaml")
    (desk / "compose.yaml").symlink_to("real/compose.yaml")
    assert called(capsys, "compose.yaml", "--write")[0] == 0
    assert (desk / "compose.yaml").is_symlink()
    assert (desk / "real" / "compose.yaml").read_text(encoding="utf-8") == NEW


def test_a_file_that_changed_meanwhile_is_not_written(desk: Path) -> None:
    path = desk / "compose.yaml"
    with pytest.raises(OSError, match="has changed since it was read"):
        write(path, TEXT + "# more\n", NEW)
    assert path.read_text(encoding="utf-8") == TEXT


def test_a_folder_that_takes_no_file_is_told(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    code, _, err = called(capsys, "compose.yaml", "--write")
    assert code == 2
    assert err.startswith("qwen-mtp: --write: ")
    assert (desk / "compose.yaml").read_text(encoding="utf-8") == TEXT


def test_json(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capsys, "compose.yaml", "--json")
    assert code == 0
    found = json.loads(out)
    (server,) = found["servers"]
    (change,) = server["changes"]
    assert (change["option"], change["instead"]) == ("--mamba-scheduler-strategy", "--mamba-radix-cache-strategy")
    assert (change["rules"], change["remeasure"], change["by_hand"]) == (["renamed-flag"], False, None)
    assert change["place"]["line"] == 6
    assert server["left"] == []
    assert list(found["diffs"]) == ["compose.yaml"]
    assert found["written"] is False


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["none.yaml"], 2, "none.yaml"),
        (["compose.yaml", "--service", "other"], 2, "no inference server is named 'other'; found qwen"),
        (["compose.yaml", "--engine-version", "x=y=z"], 2, "--engine-version"),
        (["broken.yaml"], 1, "broken.yaml"),
        (["empty.yaml"], 1, "empty.yaml"),
    ],
)
def test_what_is_no_use_is_said(
    desk: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    (desk / "broken.yaml").write_text("services:\n\t- x\n", encoding="utf-8")
    (desk / "empty.yaml").write_text("services: {web: {image: nginx}}\n", encoding="utf-8")
    got, _, err = called(capsys, *words)
    assert got == code
    assert said in err


def test_a_secret_beside_the_change_is_left_out_of_the_diff(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXT.replace("    environment:\n      A: é\n", "    environment:\n      HF_TOKEN: hf_abcdefghijklmnopqrst\n")
    (desk / "compose.yaml").write_text(text, encoding="utf-8")
    _, out, err = called(capsys, "compose.yaml")
    assert "hf_abc" not in out
    assert err == ""
    subprocess.run(["patch", "-p0", "-s"], input=out.encode(), cwd=desk, check=True)
    assert "--mamba-radix-cache-strategy" in (desk / "compose.yaml").read_text(encoding="utf-8")


def test_a_secret_on_the_changed_line_is_hidden_and_said(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXT.replace("extra_buffer", "extra_buffer --api-key topsecret")
    (desk / "compose.yaml").write_text(text, encoding="utf-8")
    _, out, err = called(capsys, "compose.yaml", "--write")
    assert "topsecret" not in out + err
    assert "a changed line holds a secret" in err
    assert (desk / "compose.yaml").read_text(encoding="utf-8") == text.replace("scheduler", "radix-cache")


def deployments() -> list[Path]:
    found = [*(ROOT / "examples" / "profiles").rglob("*"), *(ROOT / "tests" / "profiles" / "deployments").rglob("*")]
    return sorted(path for path in found if path.is_file() and kind_of(path) is not None)


@pytest.mark.parametrize("path", deployments(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_deployment_keeps_or_betters_what_it_has(
    path: Path, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was written takes its findings away, changes no other file, and a second run finds nothing more."""
    folder = desk / "copy"
    shutil.copytree(path.parent, folder)
    here = folder / path.name
    before = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    code, out, _ = called(capsys, str(here), "--json")
    assert {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()} == before
    found = json.loads(out)
    assert code in (0, 1, 3)
    called(capsys, str(here), "--write")
    after = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    assert {each for each in after if after[each] != before.get(each)} <= {here}
    again = json.loads(called(capsys, str(here), "--json")[1])
    assert again["diffs"] == {}
    for old, new in zip(found["servers"], again["servers"], strict=True):
        gone = {rule for each in old["changes"] if each["by_hand"] is None for rule in each["rules"]}
        stays = {each["rule"] for each in new["left"]} | {rule for each in new["changes"] for rule in each["rules"]}
        assert gone & stays == set()
