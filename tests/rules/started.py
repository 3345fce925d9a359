"""What the gate says about a Compose file or a script given as text."""

from __future__ import annotations

from pathlib import Path

from pytest_qwen_mtp.check import check_profile, from_problem
from pytest_qwen_mtp.findings import Finding
from pytest_qwen_mtp.profiles.load import load
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.rules import RULES


def told(folder: Path, text: str, name: str = "compose.yaml") -> list[Finding]:
    """All findings but those of the registry alone, the problems of the file among them."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    loaded = load([path])
    findings = [from_problem(problem) for problem in loaded.problems]
    for profile in loaded.profiles:
        findings += check_profile(profile, load_registry(), RULES).findings
    return [finding for finding in findings if finding.check != "known-bugs"]


def command(words: str, image: str = "vllm/vllm-openai:v0.32.0", more: str = "") -> str:
    """A Compose file of one service with ``words`` (flow style) as its command."""
    return f"services:\n  qwen:\n    image: {image}\n    command: [{words}]\n{more}"


def only(findings: list[Finding], rule: str) -> Finding:
    """The one finding of ``rule``, and no other is there."""
    assert [finding.rule for finding in findings] == [rule]
    return findings[0]
