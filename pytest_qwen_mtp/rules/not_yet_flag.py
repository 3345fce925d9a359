"""An option of a later release."""

from __future__ import annotations

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  A later release has the option; the one that the file starts does not have it yet.

Whom it hits
  Recipes for a newer release on an older image, and files whose image was moved back.

How to see it
  The server ends at once with "unrecognized arguments" and exit code 2.

What to change
  Move to the release that the finding names, or take the option away.
"""


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding; the change names the first release that has the option, and what this one has for it."""
    first = problem.message.rpartition("from ")[2]
    before = f"write {problem.suggestion}" if problem.suggestion else f"take {problem.option} away"
    fix = f"move to {first} or later, or {before}"
    return RULE.told(profile, problem, "the server does not start: this option comes with a later release", fix)


RULE = Rule(
    id="not-yet-flag",
    severity=Severity.HIGH,
    check="command",
    title="An option that only a later release has",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.26.0
    command: [--model, Qwen/Qwen3.6-27B, --max-num-queued-reqs, "64"]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --max-num-queued-reqs, "64"]
""",
        ),
    ),
    of_problem=tell,
)
