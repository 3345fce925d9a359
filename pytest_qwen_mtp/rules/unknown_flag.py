"""An option that no release of the engine has."""

from __future__ import annotations

from pytest_qwen_mtp.engines.model import OptionProblem, Settings
from pytest_qwen_mtp.findings import Finding, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The command has an option, or a word, that the release's own parser does not expect. A beginning that only one option
  has (--gpu-memory-util) is no such case: the parsers of vLLM and SGLang complete it.

Whom it hits
  Spelling mistakes, options carried over from another engine (--enable-prefix-caching is vLLM's, not SGLang's), and
  words that a lost quote left behind.

How to see it
  The server ends at once with "unrecognized arguments" and exit code 2. `qwen-mtp catalogue show ENGINE RELEASE` lists
  what the release takes.

What to change
  Write the option as the release spells it, or take it away.
"""


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding; with the nearest name as the change where one is near."""
    if problem.option is None:
        fix = "take the word away, or quote it with the value that it belongs to"
    elif problem.suggestion is not None:
        fix = f"write {problem.suggestion} instead of {problem.option}"
    elif "could be" in problem.message:
        fix = f"write {problem.option} out in full"
    else:
        fix = f"take {problem.option} away"
    return RULE.told(profile, problem, "the server does not start: it does not know this argument", fix)


RULE = Rule(
    id="unknown-flag",
    severity=Severity.HIGH,
    check="command",
    title="An option that this engine does not have",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --enable-prefix-cachng]
""",
            """\
services:
  qwen:
    image: lmsysorg/sglang:v0.5.23-cu130
    command: [python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3.6-27B, --max-model-length, "65536"]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --enable-prefix-caching, --gpu-memory-util, "0.9"]
""",
        ),
    ),
    of_problem=tell,
)
