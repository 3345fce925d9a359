"""A variable is set behind the command instead of in front of it."""

from __future__ import annotations

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  NAME=value stands among the words of the engine. A shell assigns only what stands in front of the command; behind it
  the word is an argument.

Whom it hits
  Scripts and commands to which a variable was added at the end. The variable is not set, and the engine refuses the
  word.

How to see it
  The server ends with "unrecognized arguments: NAME=value".

What to change
  Put the assignment in front of the command, export it in a line of its own, or use `environment:`, -e or --env.
"""


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding, at the assignment."""
    name = problem.message.partition("=")[0]
    where = "in front of the command" if profile.service is None else "under environment"
    return RULE.told(
        profile,
        problem,
        f"{name} is not set, and the server refuses the word",
        f"set {name} {where}",
    )


RULE = Rule(
    id="env-after-command",
    severity=Severity.HIGH,
    check="command",
    title="A variable is set behind the command",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, VLLM_LOGGING_LEVEL=DEBUG]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    environment: [VLLM_LOGGING_LEVEL=DEBUG]
    command: [--model, Qwen/Qwen3.6-27B]
""",
        ),
    ),
    of_problem=tell,
)
