"""A commented line inside a continued command ends it."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_qwen_mtp.engines.model import Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import Command, ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  One option of a command that runs over several lines was switched off with a #. For the shell the comment reaches to
  the end of the line, backslash and all: the command ends before it.

Whom it hits
  Shell scripts, and `bash -c` texts in Compose. All options below the comment are lost; they run as a command of their
  own, which fails. (systemd skips comment lines, so a unit file may do this.)

How to see it
  `qwen-mtp resolve FILE` shows the words that the engine really gets. The log has "--option: command not found".

What to change
  Move the line out of the command, above it or below it, or keep the options in an array, where comments may stand.
"""


def find(profile: ServeProfile, command: Command, settings: Settings) -> Iterator[Finding]:
    """One finding per comment, at its #."""
    return RULE.mistakes(profile, command, "the server starts without the options below the comment")


RULE = Rule(
    id="commented-flag-ends-command",
    severity=Severity.HIGH,
    check="command",
    title="A commented line inside a command ends it",
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
          # --enforce-eager \\
          --max-model-len 65536
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
        # --enforce-eager
        vllm serve Qwen/Qwen3.6-27B \\
          --max-model-len 65536
          # the end
        echo stopped
""",
        ),
    ),
    of_command=find,
)
