"""A variable that decides something about the command or the image has no value."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_qwen_mtp.findings import Finding, Reason, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.profiles.text import Given
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The command or the image uses a variable that no file gives a value to and that has no default.

Whom it hits
  Every deployment that relies on a variable set by hand on the machine. In Compose an unset ${NAME} is the empty
  text, so the server starts with something missing instead of not at all.

How to see it
  `qwen-mtp resolve FILE` lists the name under "unresolved". `docker compose config` warns "variable is not set".

What to change
  Give it a value in .env beside the file, or a default in place: ${NAME:-value}. Where it must come from outside,
  say so with ${NAME:?what it is}, and run the gate with --mtp-env where the variable is set.
"""


def find(profile: ServeProfile) -> Iterator[Finding]:
    """One finding per name, at its first use."""
    seen: set[str] = set()
    for use in profile.unresolved:
        if use.name in seen:
            continue
        seen.add(use.name)
        argument = f"argument {use.name} of the script" if use.name.isdigit() else use.name
        if use.given is Given.UNSET:
            message = f"{argument} has no value: the server starts with nothing in its place"
            reason = "no .env, env_file or assignment gives it, and it has no default"
        else:
            message = f"{argument} is only known when the server starts: what depends on it was not checked"
            reason = "its value cannot be read from the files"
        yield RULE.finding(
            profile,
            use.place,
            message,
            why=(Reason(reason, place=use.place),),
            fix=f"give {argument} a value in the files, or a default where it is used",
        )


RULE = Rule(
    id="unresolved-variable",
    severity=Severity.MEDIUM,
    check="profile",
    title="A variable that decides something about the command has no value",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --max-model-len, "${WINDOW}"]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, Qwen/Qwen3.6-27B, --max-model-len, "${WINDOW:-65536}"]
""",
        ),
    ),
    of_profile=find,
)
