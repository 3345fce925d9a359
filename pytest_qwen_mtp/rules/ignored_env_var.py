"""A variable of the engine that the release does not read."""

from __future__ import annotations

from difflib import get_close_matches

from pytest_qwen_mtp.engines import catalogue
from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Reason, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The file sets a variable with the engine's prefix (VLLM_, SGLANG_, SGL_) that the release does not read.

Whom it hits
  Files that set a switch which has become an option or has gone (VLLM_ATTENTION_BACKEND, VLLM_USE_V1), and misspelt
  names. The server starts and does not do what the line says. A plugin in the image may still read a variable of its
  own; then suppress the finding with that reason.

How to see it
  Newer releases warn about an unknown variable at start; older ones say nothing.

What to change
  Take the line away, or use the option that took its place (--attention-backend).
"""
_OPTIONS = {"VLLM_ATTENTION_BACKEND": "--attention-backend"}


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """Medium where somebody relied on it (another release reads it, or the name is misspelt), else low."""
    name = problem.option or "the variable"
    release = catalogue.load(profile.engine).release(profile.version)
    near = get_close_matches(name, release.environment, n=1, cutoff=0.9)
    elsewhere = name in release.catalogue.tables.get("environment", {})
    if near:
        fix = f"write {near[0]} instead of {name}"
    elif name in _OPTIONS and _OPTIONS[name] in release.by_string:
        fix = f"take {name} away; {_OPTIONS[name]} is its place now"
    else:
        fix = f"take {name} away"
    severity = Severity.MEDIUM if near or elsewhere or name in _OPTIONS else Severity.LOW
    finding = RULE.told(profile, problem, "the line has no effect", fix, severity)
    if elsewhere:
        return RULE.finding(
            profile,
            problem.place,
            finding.message,
            why=(*finding.why, Reason("other releases of the engine do read it")),
            fix=fix,
            certainty=finding.certainty,
            severity=severity,
        )
    return finding


RULE = Rule(
    id="ignored-env-var",
    severity=Severity.MEDIUM,
    check="command",
    title="A variable that this release does not read",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    environment: {VLLM_ATTENTION_BACKEND: FLASHINFER}
    command: [--model, Qwen/Qwen3.6-27B]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    environment: {VLLM_LOGGING_LEVEL: INFO, OMP_NUM_THREADS: "8"}
    command: [--model, Qwen/Qwen3.6-27B]
""",
        ),
    ),
    of_problem=tell,
)
