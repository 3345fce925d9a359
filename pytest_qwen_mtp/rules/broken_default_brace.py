"""The default of a variable ends at its first closing brace."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_qwen_mtp.engines.model import Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import Command, ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  A JSON value is the default inside ${NAME:-…} of a shell. The shell does not count braces: the default ends at the
  first one that closes, and what follows is plain text behind the value.

Whom it hits
  Scripts that let a variable replace the whole JSON. Unset, the left-over brace completes the default by luck; set, the
  value gets one brace too many and the engine refuses it. Compose counts braces, so its own ${NAME:-{…}} is fine.

How to see it
  Set the variable and start the script with `bash -x`: the value ends with }}.

What to change
  Put the default into a variable of its own: DEFAULT='{…}', then "${NAME:-$DEFAULT}".
"""


def find(profile: ServeProfile, command: Command, settings: Settings) -> Iterator[Finding]:
    """One finding per default, at its variable."""
    return RULE.mistakes(profile, command, "the engine refuses the value with a brace too many")


RULE = Rule(
    id="broken-default-brace",
    severity=Severity.MEDIUM,
    check="command",
    title="A default with braces ends too early",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: [bash, -c]
    command:
      - >-
        exec vllm serve Qwen/Qwen3.6-27B
        --speculative-config "$${DRAFT:-{\\"method\\":\\"mtp\\",\\"num_speculative_tokens\\":2}}"
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command:
      - Qwen/Qwen3.6-27B
      - --speculative-config
      - ${DRAFT:-{"method":"mtp","num_speculative_tokens":2}}
""",
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: [bash, -c]
    command:
      - |
        usual='{"method":"mtp","num_speculative_tokens":2}'
        exec vllm serve Qwen/Qwen3.6-27B --speculative-config "$${DRAFT:-$$usual}"
""",
        ),
    ),
    of_command=find,
)
