"""A command that is cut short by a line break."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import Command, ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The command was meant to go on in the next line and does not: a blank stands behind the backslash, the backslash is
  missing, an empty line follows it, or a more-indented line of a folded YAML string kept its line break.

Whom it hits
  Shell scripts, and `bash -c` texts in Compose. The engine starts without the options below the break, often without
  its draft, and nobody says so: the rest fails as a command of its own, or never runs because the server runs.

How to see it
  `qwen-mtp resolve FILE` shows the words that the engine really gets. An editor that shows blanks at the end of a line
  shows the first kind.

What to change
  End every line but the last with a backslash and nothing behind it. In YAML, indent all lines of a folded string
  alike, or write the command as a list.
"""
MESSAGE = "the server starts without the options below this place"


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding for a stray blank among the engine's words."""
    return RULE.told(profile, problem, MESSAGE, "take the blank behind the backslash away")


def find(profile: ServeProfile, command: Command, settings: Settings) -> Iterator[Finding]:
    """One finding per break that the script around the command shows."""
    return RULE.mistakes(profile, command, MESSAGE)


RULE = Rule(
    id="broken-line-continuation",
    severity=Severity.HIGH,
    check="command",
    title="A command is cut short by a line break",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: [bash, -c]
    command:
      - |
        vllm serve Qwen/Qwen3.6-27B \\
          --max-model-len 65536
          --speculative-config '{"method":"mtp","num_speculative_tokens":2}'
""",
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: []
    command: >
      bash -c "vllm serve Qwen/Qwen3.6-27B
        --max-model-len 65536"
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: [bash, -c]
    command:
      - |
        vllm serve Qwen/Qwen3.6-27B \\
          --max-model-len 65536
""",
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: >
      Qwen/Qwen3.6-27B
        --max-model-len 65536
""",
        ),
    ),
    of_command=find,
    of_problem=tell,
)
