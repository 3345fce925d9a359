"""An option that the release does not have any more."""

from __future__ import annotations

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  An older release took the option; the one that the file starts does not, and has nothing in its place.

Whom it hits
  Files whose image was moved to a newer release while the options stayed.

How to see it
  The server ends at once with "unrecognized arguments" and exit code 2. `qwen-mtp catalogue diff ENGINE OLD NEW` lists
  what went.

What to change
  Take the option away, with its value. `qwen-mtp upgrade FILE --to RELEASE` says the same before the image is moved.
"""


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding; the reason names the last release that had the option."""
    fix = f"take {problem.option} away, with its value if it has one"
    return RULE.told(profile, problem, "the server does not start: this option is gone", fix)


RULE = Rule(
    id="removed-flag",
    severity=Severity.HIGH,
    check="command",
    title="An option that this release does not have any more",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --max-num-partial-prefills, "2"]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.26.0
    command: [--model, Qwen/Qwen3.6-27B, --max-num-partial-prefills, "2"]
""",
        ),
    ),
    of_problem=tell,
)
