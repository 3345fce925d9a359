"""The speculative configuration is not what the engine can read."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pytest_qwen_mtp.engines.model import UNKNOWN, Settings
from pytest_qwen_mtp.findings import Finding, Place, Reason, Severity
from pytest_qwen_mtp.profiles.model import Command, ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The value of --speculative-config is no JSON object, or holds what the release refuses.

Whom it hits
  Most often a JSON value that lost its double quotes: an unquoted ${NAME} inside a command string is split into words
  like a shell would, and the quotes go.

How to see it
  `qwen-mtp resolve FILE` shows the word as the engine gets it. vLLM ends at once with an argument error.

What to change
  Put single quotes round the JSON (or round the ${NAME}) in a command string, write the command as a list, or use the
  dotted options: --speculative-config.method mtp --speculative-config.num_speculative_tokens 2.
"""


def find(profile: ServeProfile, command: Command, settings: Settings) -> Iterator[Finding]:
    """One finding per value that the engine cannot read."""
    told = set()
    for problem in settings.problems:
        if problem.kind == RULE.id:
            told.add(problem.place)
            yield _finding(profile, problem.place, problem.message, problem.suggestion)
    given = settings.known.get("speculative_config")
    # That the value is a JSON object holds for every release, also for one whose other rules are not known.
    if given is None or given.value is not UNKNOWN or given.place is None or given.place in told:
        return
    word = next((word for word in command.words if word.place == given.place), None)
    if profile.engine == "vllm" and word is not None and not word.unresolved and not _is_object(word.text):
        yield _finding(profile, given.place, given.source, None)


def _is_object(text: str) -> bool:
    if text.startswith("-"):
        text = text.partition("=")[2]
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _finding(profile: ServeProfile, place: Place, reason: str, suggestion: str | None) -> Finding:
    return RULE.finding(
        profile,
        place,
        "the server does not start: it refuses the speculative configuration",
        why=(Reason(reason, place=place),),
        fix=suggestion or "write the value as a JSON object in single quotes",
    )


RULE = Rule(
    id="invalid-speculative-config",
    severity=Severity.HIGH,
    check="speculative",
    title="The speculative configuration cannot be read",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: --model Qwen/Qwen3.6-27B --speculative-config {"method":"mtp","num_speculative_tokens":2}
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: --model Qwen/Qwen3.6-27B --speculative-config '{"method":"mtp","num_speculative_tokens":2}'
""",
        ),
    ),
    of_command=find,
)
