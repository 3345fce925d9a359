"""A small repository: deployment files, tests beside them, and tests elsewhere."""

from __future__ import annotations

import pytest

# pytester forgets what a run inside this process imported: what is imported before, it need not import each time.
import pytest_qwen_mtp.gate
import pytest_qwen_mtp.profiles.compose
import pytest_qwen_mtp.profiles.container
import pytest_qwen_mtp.profiles.native
import pytest_qwen_mtp.profiles.script
import pytest_qwen_mtp.reports.json_report
import pytest_qwen_mtp.reports.terminal  # noqa: F401

SAFE = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3-Embedding-0.6B, --port, "8000"]
"""
NO_MODEL = """\
services:
  lost:
    image: vllm/vllm-openai:v0.32.0
    # the variable is set nowhere
    command: [--model, "", --port, "8000"]
"""


@pytest.fixture
def repository(pytester: pytest.Pytester, scrubbed: None) -> pytest.Pytester:
    """``profiles/safe.yaml``, ``profiles/lost.yaml`` (its item ``command`` fails), ``profiles/test_beside.py``,
    ``tests/test_else.py`` (passes)."""
    profiles = pytester.mkdir("profiles")
    (profiles / "safe.yaml").write_text(SAFE, encoding="utf-8")
    (profiles / "lost.yaml").write_text(NO_MODEL, encoding="utf-8")
    (profiles / "notes.txt").write_text("vllm serve nothing\n", encoding="utf-8")
    (profiles / "test_beside.py").write_text("def test_beside(): pass\n", encoding="utf-8")
    tests = pytester.mkdir("tests")
    (tests / "test_else.py").write_text("def test_else(): pass\n", encoding="utf-8")
    return pytester
