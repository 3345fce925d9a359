"""The engine is named twice."""

from __future__ import annotations

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The command begins with the program (vllm serve) although the image's entry point already is that program.

Whom it hits
  Compose services and docker run lines with vllm/vllm-openai whose words were copied from a shell. The second "serve"
  is taken for the model or for a stray word.

How to see it
  The server ends with "unrecognized arguments", or looks for a model named vllm.

What to change
  Begin the command with the model and the options, or set the entry point to [] and keep the program.
"""


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding, at the second program."""
    return RULE.told(
        profile,
        problem,
        "the server does not start: it takes its own name for a model or an argument",
        "begin the command with the model; the image's entry point starts the engine",
    )


RULE = Rule(
    id="duplicate-serve",
    severity=Severity.HIGH,
    check="command",
    title="The engine is named twice",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [vllm, serve, Qwen/Qwen3.6-27B]
""",
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: serve Qwen/Qwen3.6-27B
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: []
    command: [vllm, serve, Qwen/Qwen3.6-27B]
""",
        ),
    ),
    of_problem=tell,
)
