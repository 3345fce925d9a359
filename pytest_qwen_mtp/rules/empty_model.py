"""The engine is started without a model, or with an empty one."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Settings
from pytest_qwen_mtp.findings import Certainty, Finding, Place, Reason, Severity
from pytest_qwen_mtp.profiles.model import Command, ServeProfile
from pytest_qwen_mtp.profiles.text import Given
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The command names no model, or the model is the empty text.

Whom it hits
  Files whose model comes from a variable that is not set. vLLM then serves its built-in default (a small model that
  nobody asked for) or refuses the empty name; SGLang refuses to start. llama.cpp is reported only where an empty model
  is written out, because without one it may serve a folder or a preset file.

How to see it
  `qwen-mtp resolve FILE` shows the command without a model, and the variable under "unresolved".

What to change
  Write the model down, or give the variable a value in .env or a default.
"""


def find(profile: ServeProfile, command: Command, settings: Settings) -> Iterator[Finding]:
    """At most one finding: at the empty model, else at the command."""
    given = settings.known.get("model")
    if given is not None and given.origin is not Origin.DEFAULT:
        if given.value == "" or (given.value is UNKNOWN and _unset(command, given.place)):
            yield _finding(profile, given.place or _place(profile, command), "the model is the empty text")
        return
    # Without a model word anything that is only known at the start could still name it, a llama.cpp preset too.
    if profile.engine == "llamacpp" or not command.words or _open(command):
        return
    yield _finding(profile, _place(profile, command), "no word of the command names a model")


def _unset(command: Command, place: Place | None) -> bool:
    """Whether the word at ``place`` is empty because no variable in it has a value: that is what the engine gets."""
    return place is not None and any(
        word.place.path == place.path
        and word.place.line == place.line
        and (word.text == "" or (word.text.startswith("-") and word.text.endswith("=")))
        and bool(word.references)
        and all(use.given is Given.UNSET for use in word.references)
        for word in command.words
    )


def _open(command: Command) -> bool:
    return any(use.given is Given.UNKNOWN for word in command.words for use in word.references)


def _place(profile: ServeProfile, command: Command) -> Place:
    return command.place or (command.words[0].place if command.words else profile.place)


def _finding(profile: ServeProfile, place: Place, reason: str) -> Finding:
    why = [Reason(reason, place=place)]
    certainty = Certainty.DEFINITE
    if profile.service is None:
        # A script is started by somebody, with arguments and an environment; a service gets what its file says.
        why.append(Reason("whoever starts the script may name a model; would be definite if nobody does", None))
        certainty = Certainty.POSSIBLE
    return RULE.finding(
        profile,
        place,
        "the server does not start, or serves a model that nobody asked for",
        why=tuple(why),
        certainty=certainty,
        fix="name the model in the command, or give its variable a value",
    )


RULE = Rule(
    id="empty-model",
    severity=Severity.HIGH,
    check="command",
    title="No model, or an empty one",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, "${CHECKPOINT}", --port, "8000"]
""",
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: --max-model-len 65536
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, "${CHECKPOINT:-Qwen/Qwen3.6-27B}", --port, "8000"]
""",
            """\
services:
  qwen:
    image: ghcr.io/ggml-org/llama.cpp:server-cuda-b11434
    environment: {LLAMA_ARG_MODEL: /models/qwen36-27b.gguf}
""",
        ),
    ),
    of_command=find,
)
