"""The speculative configuration is not what the engine can read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pytest_qwen_mtp.engines.defaults import at_least
from pytest_qwen_mtp.engines.family import identify_model
from pytest_qwen_mtp.engines.model import UNKNOWN, OptionProblem, Origin, Setting, Settings
from pytest_qwen_mtp.findings import Certainty, Finding, Place, Reason, Severity
from pytest_qwen_mtp.profiles.model import Command, ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The value of --speculative-config is no JSON object, has a key that the release does not know or a value that it does
  not take, or no number of speculative tokens.

Whom it hits
  Most often a JSON value that lost its double quotes: an unquoted ${NAME} inside a command string is split into words
  like a shell would, and the quotes go. Without "num_speculative_tokens" vLLM asks the checkpoint's config.json how
  deep the head is; 0.17 to 0.29 do not find it there for Qwen3.5 and later.

How to see it
  `qwen-mtp resolve FILE` shows the word as the engine gets it. vLLM ends at once with an argument or a
  configuration error.

What to change
  Put single quotes round the JSON (or round the ${NAME}) in a command string, write the command as a list, or use the
  dotted options: --speculative-config.method mtp --speculative-config.num_speculative_tokens 2.
"""
MESSAGE = "the server does not start: it refuses the speculative configuration"
# vllm 0.32.0, config/speculative.py: what drafts without a head of its own has no depth to fall back on.
_ASKS_FOR_COUNT = frozenset({"ngram", "ngram_gpu", "draft_model"})


def tell(profile: ServeProfile, settings: Settings, problem: OptionProblem) -> Finding:
    """The finding for what the release's own reader has against the value."""
    return RULE.told(profile, problem, MESSAGE, _change(problem))


def _change(problem: OptionProblem) -> str:
    message, suggestion = problem.message, problem.suggestion
    if suggestion is not None:
        return f"write {suggestion}"
    if "JSON" in message:
        return "write the value as a JSON object in single quotes"
    if message.startswith("num_speculative_tokens is"):
        return 'write "num_speculative_tokens": 1 or more, or take --speculative-config away'
    _, _, expected = message.partition("expected ")
    return f"write {expected}" if expected else "correct the value"


def find(profile: ServeProfile, command: Command, settings: Settings) -> Iterator[Finding]:
    """What holds for every release, also for one whose other rules are not known: a JSON object, and a count."""
    given = settings.known.get("speculative_config")
    if profile.engine != "vllm" or given is None or given.origin is not Origin.GIVEN:
        return
    if isinstance(given.value, Mapping):
        yield from _count(profile, settings, given)
    elif given.value is UNKNOWN and given.place is not None:
        if any(each.kind == RULE.id and each.place == given.place for each in settings.problems):
            return
        word = next((word for word in command.words if word.place == given.place), None)
        if word is not None and not word.unresolved and not _is_object(word.text):
            change = "write the value as a JSON object in single quotes"
            yield _finding(profile, given.place, (Reason(given.source, place=given.place),), change)


def _count(profile: ServeProfile, settings: Settings, given: Setting) -> Iterator[Finding]:
    """A method without a number of speculative tokens."""
    assert isinstance(given.value, Mapping)
    method, count = settings.value("speculative.method"), settings.known.get("speculative.num_speculative_tokens")
    if not isinstance(method, str) or (count is not None and count.value is not None):
        return
    change = 'add "num_speculative_tokens": 1 (or more) to the value'
    place = given.place or profile.place
    why = [Reason(f"method {method} is given without num_speculative_tokens", place=given.place)]
    if method in _ASKS_FOR_COUNT:
        yield _finding(profile, place, tuple(why), change)
    elif method.endswith("mtp"):
        version = profile.version
        model = settings.value("model")
        family = (identify_model(model).model_type or "") if isinstance(model, str) else ""
        hidden = at_least(version, "0.17.0") and at_least(version, "0.30.0") is False and family.startswith("qwen3_5")
        if hidden:
            why.append(Reason(f"vLLM {version} does not read the depth of this model's head from its config.json"))
            yield _finding(profile, place, tuple(why), change)
        else:
            why.append(Reason("would be definite if the checkpoint's config.json does not tell the head's depth", None))
            yield _finding(profile, place, tuple(why), change, Certainty.POSSIBLE)


def _is_object(text: str) -> bool:
    if text.startswith("-"):
        text = text.partition("=")[2]
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _finding(
    profile: ServeProfile,
    place: Place,
    why: tuple[Reason, ...],
    change: str,
    certainty: Certainty = Certainty.DEFINITE,
) -> Finding:
    return RULE.finding(profile, place, MESSAGE, why=why, fix=change, certainty=certainty)


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
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [Qwen/Qwen3.6-27B, --speculative-config, '{"method":"mtp","num_speculative_token":2}']
""",
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.26.0
    command: [Qwen/Qwen3.6-27B, --speculative-config, '{"method":"mtp"}']
""",
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [Qwen/Qwen3.6-27B, --speculative-config, '{"method":"mtp","num_speculative_tokens":0}']
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
    of_problem=tell,
    of_command=find,
)
