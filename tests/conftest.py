"""One harness for tests that run pytest or the command line tool: scrubbed environment, explicit exit codes."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["pytester"]

KEPT = (
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "SYSTEMROOT",
    "COVERAGE_PROCESS_START",
    "COVERAGE_PROCESS_CONFIG",
)


@pytest.fixture
def scrubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the machine reaches the test."""
    for name in list(os.environ):
        if name not in KEPT and not name.startswith("PYTEST_XDIST"):
            monkeypatch.delenv(name)
