"""An old name of a speculative method."""

from __future__ import annotations

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The method is written with a name that the release still takes, with a warning, for another one: qwen3_next_mtp and
  qwen3_5_mtp are mtp.

Whom it hits
  Files from the time when each model had a method of its own. They go on working until the old name goes.

How to see it
  A warning about a deprecated method in the first lines of the log.

What to change
  Write the present name.
"""


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding; the change is the present name."""
    fix = f'write "method": "{problem.suggestion}"'
    return RULE.told(profile, problem, "the server starts with a warning; the name will go some day", fix)


RULE = Rule(
    id="deprecated-spec-method",
    severity=Severity.LOW,
    check="speculative",
    title="An old name of a speculative method",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --spec-method, qwen3_5_mtp, --spec-tokens, "2"]
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
