"""A speculative method that the release does not have."""

from __future__ import annotations

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The speculative method is none that the release knows.

Whom it hits
  Names from another engine (NEXTN is SGLang's, draft-mtp is llama.cpp's, mtp is vLLM's), spelling mistakes, and names
  of a later release.

How to see it
  vLLM ends with a configuration error that lists the methods, SGLang with "invalid choice".

What to change
  vLLM: "method": "mtp". SGLang: --speculative-algorithm NEXTN. llama.cpp: --spec-type draft-mtp.
"""
_OWN = {"vllm": "mtp", "sglang": "NEXTN", "llamacpp": "draft-mtp"}
_OPTIONS = frozenset({"--spec-method", "--speculative-algorithm", "--speculative-algo", "--spec-type"})


def names_method(problem: OptionProblem) -> bool:
    """Whether a refused value is that of an option whose choices are the methods."""
    refused = problem.kind == "invalid-flag-value" and "expected one of" in problem.message
    return refused and problem.option in _OPTIONS


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding; the change is the nearest method, else the one by which this engine drafts with the MTP head."""
    method = problem.suggestion or _OWN[profile.engine]
    written = settings.value("speculative.method")
    fix = f"write {method}" + (f" instead of {written}" if isinstance(written, str) else "")
    return RULE.told(profile, problem, "the server does not start: it has no such speculative method", fix)


RULE = Rule(
    id="unknown-spec-method",
    severity=Severity.HIGH,
    check="speculative",
    title="A speculative method that this release does not have",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --spec-method, mtpx, --spec-tokens, "2"]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --spec-method, mtp, --spec-tokens, "2"]
""",
        ),
    ),
    of_problem=tell,
)
