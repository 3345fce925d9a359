"""One-line scripts, one rule of the shell each (``shell_lines.txt``), held against real bash."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import read
from server_starts import servers
from shell_oracle import AVAILABLE, run_script

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="the judge of these tests is a real bash on Linux")

FILE = Path(__file__).parent / "shell_lines.txt"
LINES = [line for line in FILE.read_text(encoding="utf-8").splitlines()[1:] if line]
SIDE_BY_SIDE = (" & ", "|")


@pytest.mark.parametrize("line", LINES)
def test_a_line_starts_what_bash_starts(line: str, tmp_path: Path) -> None:
    text = line.removeprefix("? ")
    script = tmp_path / "start.sh"
    script.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
    started = [list(start.argv) for start in servers(run_script(script))]
    readings = [each for each in read(script) if each.when is None]
    argvs = [each.argv for each in readings]
    if line != text:
        assert len(readings) == len(started)
        assert all(each.fits(start) for each, start in zip(readings, started, strict=True)), (argvs, started)
    elif any(mark in text for mark in SIDE_BY_SIDE):
        assert sorted(argvs) == sorted(started)
    else:
        assert argvs == started
