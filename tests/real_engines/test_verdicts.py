"""A thousand command lines: what the catalogue says of each, against the parser and config builder of vLLM 0.32.0."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
import tiny_qwen
from asking import Ask
from command_lines import command_lines
from hypothesis import HealthCheck, Phase, given, settings

from pytest_qwen_mtp.engines.catalogue import load
from pytest_qwen_mtp.engines.settings import read_settings
from pytest_qwen_mtp.engines.verdict import verdict
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Word

pytestmark = pytest.mark.real_engine

COUNT = 1000
MODEL = "MODEL"
DISAGREEMENTS: Mapping[str, str] = {
    "Unknown quantization method": "the methods are registered by code and plug-ins when the engine starts",
}
"""What the engine says where we see nothing wrong → why. Everything else that it says has to be told by us too."""


def made() -> list[list[str]]:
    found: list[list[str]] = []

    @settings(
        max_examples=2 * COUNT,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(command_lines(load("vllm").release("0.32.0"), MODEL))
    def collect(words: list[str]) -> None:
        if words not in found and len(found) < COUNT:
            found.append(words)

    collect()
    return found


def ours(words: list[str]) -> str:
    place = Place("serve.sh", 1, 1)
    return verdict(read_settings("vllm", "0.32.0", [Word(text, place) for text in ("vllm", "serve", *words)]))


def test_a_thousand_command_lines_get_the_engines_verdict(ask: Ask, tmp_path: Path) -> None:
    model = str(tiny_qwen.write(tmp_path / "qwen"))
    lines = made()
    assert len(lines) == COUNT
    words = "".join(json.dumps([model if word == MODEL else word for word in each]) + "\n" for each in lines)
    theirs = [json.loads(line) for line in ask("vllm_verdicts.py", lines=words).splitlines()]
    assert len(theirs) == COUNT
    wrong = []
    for each, (expected, said) in zip(lines, theirs, strict=True):
        found = ours(each)
        if found != expected:
            wrong.append((found, expected, " ".join(each), said))
    unexplained = [each for each in wrong if not any(re.search(pattern, each[3]) for pattern in DISAGREEMENTS)]
    shown = "\n".join(" | ".join(each) for each in unexplained)
    assert not unexplained, f"{len(unexplained)} of {COUNT}:\n{shown}"
    assert len(wrong) <= COUNT // 100
    # All three verdicts are really tried.
    assert min(Counter(expected for expected, _ in theirs).values()) >= COUNT // 20
