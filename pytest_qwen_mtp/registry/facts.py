"""What is known of one command: the names that conditions may ask for, each with its value, reason and place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_qwen_mtp.engines.family import Model
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Settings
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Engine, Word
from pytest_qwen_mtp.registry.gpu import gpu_names
from pytest_qwen_mtp.registry.ranges import ENGINE_NAMES


@dataclass(frozen=True, slots=True)
class Subject:
    """One command of one service, as the registry looks at it.

    ``version`` is None where it is not known, and ``version_evidence`` then says why. ``platform`` is ``cuda``,
    ``rocm``, ``cpu``, ``xpu``, ``ascend`` or None. ``gpu`` is a name such as ``rtx-3090`` or None. ``place`` is where a
    finding points to when nothing nearer is known. ``words`` are the command's words, for conditions on an option as it
    is written. ``checkpoint`` holds facts of the weights (``mtp``: ``real``, ``absent``, …) as far as they were read.
    """

    engine: Engine
    version: str | None
    settings: Settings
    model: Model
    place: Place
    version_evidence: str = ""
    version_place: Place | None = None
    image: str | None = None
    platform: str | None = None
    gpu: str | None = None
    env: Mapping[str, Word | None] = field(default_factory=dict)
    words: Sequence[Word] = ()
    checkpoint: Mapping[str, Any] = field(default_factory=dict)
    service: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """``value`` is plain, UNKNOWN, or None for what nobody set. ``given``: the user wrote it. ``said`` replaces the
    usual "name is value" where another sentence reads better."""

    value: Any
    source: str = ""
    place: Place | None = None
    given: bool = False
    said: str | None = None


class Facts:
    """The facts of one subject by name, each worked out once.

    ``answers`` are those of the tests asked so far, by the test's identity: entries share their tests.
    """

    __slots__ = ("_known", "answers", "subject")

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.answers: dict[int, bool | None] = {}
        self._known: dict[str, Fact] = {}

    def get(self, name: str) -> Fact:
        fact = self._known.get(name)
        if fact is None:
            fact = self._known[name] = self._find(name)
        return fact

    def _find(self, name: str) -> Fact:
        made = DERIVED.get(name)
        if made is not None:
            return made(self.subject, self)
        group, _, rest = name.partition(".")
        if rest and group in GROUPS:
            return GROUPS[group](self.subject, rest)
        setting = self.subject.settings.known.get(name)
        if setting is None:
            return _longest_of_list(self, name) if name.endswith(".max") else Fact(None)
        return Fact(setting.value, setting.source, setting.place, setting.origin is Origin.GIVEN)


def _longest_of_list(facts: Facts, name: str) -> Fact:
    whole = facts.get(name.removesuffix(".max"))
    numbers = whole.value
    if isinstance(numbers, list) and numbers and all(isinstance(each, (int, float)) for each in numbers):
        return Fact(max(numbers), whole.source, whole.place, whole.given)
    return Fact(UNKNOWN if whole.value is UNKNOWN else None, whole.source, whole.place)


def _speculation(subject: Subject, facts: Facts) -> Fact:
    method, k = facts.get("speculative.method"), facts.get("speculative.num_speculative_tokens")
    if method.value is UNKNOWN:
        return Fact(UNKNOWN, method.source or "the speculative method is not known", method.place, method.given)
    if k.value == 0:
        return Fact(False, k.source, k.place, k.given, "speculation is off (k is 0)")
    on = method.value not in (None, "none")
    said = f"speculation is on (method {method.value})" if on else "speculation is off"
    return Fact(on, method.source, method.place, method.given, said)


def _mtp(subject: Subject, facts: Facts) -> Fact:
    """Does the draft come from the model's own MTP head?

    vLLM: method ``mtp`` and its older spellings by model (vllm 0.32.0, config/speculative.py). SGLang: ``NEXTN``, which
    is ``EAGLE`` by another name; with a separate draft model EAGLE is another thing. llama.cpp: ``draft-mtp``.
    """
    speculation = facts.get("speculation")
    if speculation.value is not True:
        return speculation
    method = facts.get("speculative.method")
    name = str(method.value).lower()
    on: Any = name.endswith("mtp") or name == "nextn"
    source = method.source
    if subject.engine == "sglang" and name == "eagle":
        draft, model = facts.get("speculative_draft_model_path"), facts.get("model")
        on = True if draft.value in (None, model.value) else UNKNOWN
        source = "EAGLE with its own draft model" if on is UNKNOWN else source
    said = None if on is UNKNOWN else f"the draft {'comes' if on else 'does not come'} from MTP (method {method.value})"
    return Fact(on, source, method.place, method.given, said)


def _k(subject: Subject, facts: Facts) -> Fact:
    return facts.get("speculative.num_speculative_tokens")


def _mamba_strategy(subject: Subject, facts: Facts) -> Fact:
    """SGLang's choice for the recurrent state in the prefix cache. The setting was renamed in 0.5.14."""
    now, before = facts.get("mamba_radix_cache_strategy"), facts.get("mamba_scheduler_strategy")
    return before if now.value is None or (before.given and not now.given) else now


def _version(subject: Subject, facts: Facts) -> Fact:
    value = UNKNOWN if subject.version is None else subject.version
    name = ENGINE_NAMES.get(subject.engine, subject.engine)
    said = None if value is UNKNOWN else f"{name} {value}"
    return Fact(value, subject.version_evidence, subject.version_place, said=said)


def _stated(attribute: str) -> Callable[[Subject, Facts], Fact]:
    def find(subject: Subject, facts: Facts) -> Fact:
        value = getattr(subject, attribute)
        return Fact(UNKNOWN, f"nothing says which {attribute}") if value is None else Fact(value)

    return find


def _gpu(subject: Subject, facts: Facts) -> Fact:
    if subject.gpu is None:
        return Fact(UNKNOWN, "nothing says which GPU")
    names = gpu_names(subject.gpu)
    if names is None:
        return Fact(UNKNOWN, f"{subject.gpu} does not tell the GPU's class")
    return Fact(names, said=f"the GPU is {subject.gpu}")


def _model(subject: Subject, rest: str) -> Fact:
    attribute = {"type": "model_type"}.get(rest, rest)
    value = getattr(subject.model, attribute, None)
    setting = subject.settings.known.get("model")
    place = setting.place if setting is not None else None
    if value is None:
        return Fact(UNKNOWN, subject.model.evidence, place)
    return Fact(value, subject.model.evidence, place)


def _env(subject: Subject, rest: str) -> Fact:
    if rest not in subject.env:
        return Fact(None)
    word = subject.env[rest]
    if word is None:
        return Fact(UNKNOWN, "handed through from the caller's environment", None, True)
    if word.unresolved:
        return Fact(UNKNOWN, f"it depends on ${word.unresolved[0].name}", word.place, True)
    return Fact(word.text, "environment", word.place, True)


def _checkpoint(subject: Subject, rest: str) -> Fact:
    value = subject.checkpoint.get(rest, UNKNOWN)
    return Fact(value, "the checkpoint was not read" if value is UNKNOWN else "read in the checkpoint")


DERIVED: dict[str, Callable[[Subject, Facts], Fact]] = {
    "speculation": _speculation,
    "mtp": _mtp,
    "k": _k,
    "mamba_strategy": _mamba_strategy,
    "version": _version,
    "platform": _stated("platform"),
    "image": _stated("image"),
    "gpu": _gpu,
}
GROUPS: dict[str, Callable[[Subject, str], Fact]] = {"model": _model, "env": _env, "checkpoint": _checkpoint}
