from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pytest_qwen_mtp.findings import Severity
from pytest_qwen_mtp.options import GateOptions, read_paths, read_report, read_versions


def test_a_folder_and_a_file_are_absolute(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").touch()
    assert read_paths("a.yaml", tmp_path) == (tmp_path / "a.yaml",)
    assert read_paths(".", tmp_path) == (tmp_path,)


def test_joined_files_belong_together(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).touch()
    assert read_paths(os.pathsep.join(["a.yaml", "b.yaml"]), tmp_path) == (tmp_path / "a.yaml", tmp_path / "b.yaml")


@pytest.mark.skipif(os.name == "nt", reason="a colon cannot stand in a file name there")
def test_a_file_whose_name_holds_the_separator_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "a:b.yaml").touch()
    assert read_paths("a:b.yaml", tmp_path) == (tmp_path / "a:b.yaml",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "--mtp-profiles is empty"),
        ("none.yaml", "--mtp-profiles: none.yaml does not exist"),
        (f"a.yaml{os.pathsep}none.yaml", "--mtp-profiles: none.yaml (in "),
        (f"a.yaml{os.pathsep}.", "is a folder; only files can be joined"),
    ],
)
def test_paths_that_cannot_be_meant(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.yaml").touch()
    with pytest.raises(ValueError, match=re.escape(message)):
        read_paths(text, tmp_path)


def test_versions_for_one_service_and_for_all() -> None:
    assert read_versions(["v0.27.1", "small=0.5.4.post1", "small = 0.5.5rc1"]) == {None: "0.27.1", "small": "0.5.5rc1"}


@pytest.mark.parametrize("text", ["latest", "x=nightly", "=0.27.1", "0.27.x", ""])
def test_a_version_must_be_one(text: str) -> None:
    with pytest.raises(ValueError, match="--mtp-engine-version"):
        read_versions([text])


def test_a_report_needs_a_known_format_and_a_path(tmp_path: Path) -> None:
    assert read_report("json=out/mtp.json", tmp_path) == ("json", tmp_path / "out" / "mtp.json")
    for text, message in (("mtp.json", "FORMAT=PATH"), ("json=", "FORMAT=PATH"), ("xml=a", "expected one of json")):
        with pytest.raises(ValueError, match=message):
            read_report(text, tmp_path)


def test_the_environment_is_used_only_when_asked(tmp_path: Path) -> None:
    def read(use: bool) -> GateOptions:
        return GateOptions.read(profiles=["."], folder=tmp_path, use_environment=use)

    assert read(False).environment is None
    assert read(True).environment == dict(os.environ)
    assert read(False).policy.fail_on is Severity.HIGH
