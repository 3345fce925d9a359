"""A value that the option does not take."""

from __future__ import annotations

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The option exists, but not with this value: it is none of the choices, no number, no JSON, or missing.

Whom it hits
  Values of an older or newer release (--mamba-cache-mode all on vLLM 0.32.0), JSON that lost its quotes between YAML
  and shell, and switches that were given a value.

How to see it
  The server ends at once with "invalid choice" or "invalid value" and exit code 2.

What to change
  Give a value that the release takes; the finding lists the choices.
"""


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding; the change names what is expected."""
    if problem.suggestion is not None:
        fix = f"write {problem.suggestion}"
    else:
        _, _, expected = problem.message.partition("expected ")
        option = problem.option or "the option"
        fix = f"give {option} {expected}" if expected else f"correct the value of {option}, or take it away"
        if "takes no value" in problem.message:
            fix = f"take the value behind {option} away"
    return RULE.told(profile, problem, "the server does not start: it refuses this value", fix)


RULE = Rule(
    id="invalid-flag-value",
    severity=Severity.HIGH,
    check="command",
    title="A value that this option does not take",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --max-model-len, a lot]
""",
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --kv-cache-dtype, fp7]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --max-model-len, 128k, --kv-cache-dtype, fp8]
""",
        ),
    ),
    of_problem=tell,
)
