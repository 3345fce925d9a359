"""Where the real engines are; without them these tests are skipped and say how to get them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from asking import Ask

HERE = Path(__file__).parent
ENGINES = Path(os.environ.get("QWEN_MTP_ENGINES", HERE.parent / "engines"))
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", ""),
    "HOME": os.environ.get("HOME", ""),
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "CRITICAL",
}


@pytest.fixture(scope="session")
def ask() -> Ask:
    """Runs a script of this folder with the Python of the installed vLLM; gives what it printed."""
    python = ENGINES / "vllm" / "bin" / "python"
    if not python.is_file():
        pytest.skip(f"no vLLM in {ENGINES}: run tests/real_engines/install.sh")

    def run(script: str, *arguments: str, lines: str = "") -> str:
        done = subprocess.run(
            [str(python), str(HERE / script), *arguments],
            input=lines,
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run


@pytest.fixture(scope="session")
def sources() -> Callable[[str, str], str]:
    """The folder of an unpacked release."""

    def find(engine: str, version: str) -> str:
        folder = ENGINES / "sources" / f"{engine}-{version}"
        if not (folder / ".complete").is_file():
            pytest.skip(f"no sources of {engine} {version} in {ENGINES}: run tests/real_engines/install.sh all")
        return str(folder)

    return find
