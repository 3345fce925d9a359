"""An option that goes by another name in this release."""

from __future__ import annotations

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  An older release took the option under this name; the one that the file starts knows it by another name only.

Whom it hits
  Files whose image was moved to a newer release while the options stayed, and recipes copied from an older page.

How to see it
  The server ends at once with "unrecognized arguments" and exit code 2.

What to change
  Write the new name. Where the file must start both releases, keep the option in a variable of its own.
"""


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding; the change is the new name."""
    fix = f"write {problem.suggestion} instead of {problem.option}"
    return RULE.told(profile, problem, "the server does not start: this option has another name now", fix)


RULE = Rule(
    id="renamed-flag",
    severity=Severity.HIGH,
    check="command",
    title="An option that goes by another name in this release",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: lmsysorg/sglang:v0.5.23-cu130
    command: [python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3.6-27B, --stream-output]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: lmsysorg/sglang:v0.5.23-cu130
    command: [python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3.6-27B, --incremental-streaming-output]
""",
        ),
    ),
    of_problem=tell,
)
