"""A variable of the engine that the release does not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from pytest_qwen_mtp.engines import catalogue
from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Reason, Severity
from pytest_qwen_mtp.profiles.model import Command, ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The file sets a variable that other releases of the engine read and this one does not, or one whose name is nearly
  that of a variable of this release.

Whom it hits
  Files that set a switch which has become an option or has gone (VLLM_ATTENTION_BACKEND, VLLM_USE_V1), and misspelt
  names. The server starts and does not do what the line says. Names that no release knows are left alone: a plugin in
  the image may read them.

How to see it
  Newer releases warn about an unknown variable at start; older ones say nothing.

What to change
  Take the line away, or use the option that took its place (--attention-backend).
"""
_OPTIONS = {"VLLM_ATTENTION_BACKEND": "--attention-backend"}
_PREFIXES: Mapping[str, tuple[str, ...]] = {"vllm": ("VLLM_",), "sglang": ("SGLANG_", "SGL_")}
MESSAGE = "the line has no effect"


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding about a variable that other releases read."""
    name = problem.option or "the variable"
    option = _OPTIONS.get(name)
    fix = f"take {name} away"
    if option is not None and option in catalogue.load(profile.engine).release(profile.version).by_string:
        fix += f"; {option} is its place now"
    return RULE.told(profile, problem, MESSAGE, fix)


def find(profile: ServeProfile, command: Command, settings: Settings) -> Iterator[Finding]:
    """Names that no release reads, and that are nearly one that this release does. Others may be a plugin's own."""
    prefixes = _PREFIXES.get(profile.engine)
    if prefixes is None:
        return
    for name, word in (command.env or profile.env).items():
        if word is None or not name.startswith(prefixes):
            continue
        known = catalogue.load(profile.engine)
        release = known.release(profile.version)
        if not release.exact or name in known.tables.get("environment", {}):
            continue
        near = get_close_matches(name, release.environment, n=1, cutoff=0.9)
        if near:
            why = (Reason(f"{release} does not read {name}, but {near[0]}", place=word.place),)
            yield RULE.finding(profile, word.place, MESSAGE, why=why, fix=f"write {near[0]} instead of {name}")


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
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    environment: {VLLM_LOGING_LEVEL: INFO}
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
    of_command=find,
    of_problem=tell,
)
