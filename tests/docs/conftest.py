"""A folder as a reader of the documentation has it: the examples, and nothing else."""

from __future__ import annotations

import shutil

import pytest
from pages import ROOT

# pytester forgets what a run inside this process imported: what is imported before, it need not import each time.
import pytest_qwen_mtp.cli
import pytest_qwen_mtp.gate
import pytest_qwen_mtp.profiles.compose
import pytest_qwen_mtp.profiles.container
import pytest_qwen_mtp.profiles.native
import pytest_qwen_mtp.profiles.script
import pytest_qwen_mtp.reports.json_report
import pytest_qwen_mtp.reports.terminal  # noqa: F401


@pytest.fixture
def desk(pytester: pytest.Pytester, scrubbed: None) -> pytest.Pytester:
    """The working folder holds ``examples``."""
    shutil.copytree(ROOT / "examples", pytester.path / "examples")
    return pytester
