"""SGLang: values that follow from the model, the release and other settings when nobody gives them.

Read in the wheels of SGLang 0.5.13 (server_args.py, arg_groups/speculative_hook.py) and 0.5.23 (speculative_hook.py,
mamba_hook.py and overrides.py there); the releases at which a rule changed were found in the wheels between.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_qwen_mtp.engines.defaults import at_least, by_release
from pytest_qwen_mtp.engines.family import Model
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Setting
from pytest_qwen_mtp.profiles.model import Word

Known = dict[str, Setting]

_EAGLE = frozenset({"EAGLE", "EAGLE3", "NEXTN", "STANDALONE"})
_FALSE = frozenset({"0", "false", "no", "off", "n", "f"})
# 5/4/8 for every model on 0.5.3; for Qwen 3/1/4 on 0.5.9 and later; between the two it was not read.
_STEPS = ((None, (5, 4, 8)), ("0.5.4", UNKNOWN), ("0.5.9", (3, 1, 4)))
_OVERLAP = ((None, False), ("0.5.11", True))
_COUNTS = ("speculative_num_steps", "speculative_eagle_topk", "speculative_num_draft_tokens")


def fill(known: Known, version: str | None, model: Model, env: Mapping[str, Word | None]) -> None:
    """Adds the implied settings to ``known`` in place; what was given stays as it was given."""
    algorithm = _value(known, "speculative_algorithm")
    if isinstance(algorithm, str) and algorithm.upper() in _EAGLE:
        _draft_counts(known, version, algorithm.upper(), model)
        _overlap(known, version, env)
    if algorithm is not None and algorithm is not UNKNOWN and _unset(known, "max_running_requests"):
        _imply(known, "max_running_requests", 48, "implied by speculation: 48 unless given")
    if model.hybrid is True:
        _hybrid_cache(known, version, algorithm is not None)


def _value(known: Known, name: str) -> Any:
    setting = known.get(name)
    return None if setting is None else setting.value


def _unset(known: Known, name: str) -> bool:
    setting = known.get(name)
    return setting is None or (setting.origin is not Origin.GIVEN and setting.value is None)


def _given(known: Known, name: str) -> bool:
    setting = known.get(name)
    return setting is not None and setting.origin is Origin.GIVEN


def _imply(known: Known, name: str, value: Any, source: str, origin: Origin = Origin.IMPLIED) -> None:
    known[name] = Setting(name, value, origin, source)


def _draft_counts(known: Known, version: str | None, algorithm: str, model: Model) -> None:
    """Steps, topk and draft tokens: chosen together where none is given; with topk 1 the tokens are steps + 1."""
    steps, topk, tokens = (_value(known, name) for name in _COUNTS)
    if not any(_given(known, name) for name in _COUNTS):
        chosen, reason = by_release(version, _STEPS)
        if model.family is None or not model.family.startswith("qwen"):
            chosen, reason = UNKNOWN, "chosen by the model's architecture"
        for index, name in enumerate(_COUNTS):
            value = UNKNOWN if chosen is UNKNOWN else chosen[index]
            _imply(known, name, value, f"none of steps, topk and draft tokens is given: {reason}")
        k = known["speculative_num_steps"]
        _imply(known, "speculative.num_speculative_tokens", k.value, k.source)
    elif topk == 1 and isinstance(steps, int) and tokens is None:
        _imply(known, "speculative_num_draft_tokens", steps + 1, "not given; with topk 1 it is steps + 1")


def _overlap(known: Known, version: str | None, env: Mapping[str, Word | None]) -> None:
    """``speculative_v2``: not an option, but whether drafting overlaps with scheduling (spec v2)."""
    name, variable = "speculative_v2", "SGLANG_ENABLE_SPEC_V2"
    value, reason = by_release(version, _OVERLAP)
    # The variable is read up to 0.5.13.
    if variable in env and at_least(version, "0.5.14") is not True:
        word = env[variable]
        if word is None or word.unresolved or at_least(version, "0.5.14") is None:
            value, reason = UNKNOWN, f"{variable} is set; releases up to 0.5.13 read it"
        else:
            value, reason = word.text.strip().lower() not in _FALSE, f"{variable}={word.text}"
    _imply(known, name, value, f"speculation with overlap: {reason}", Origin.DEFAULT)
    if value is False and not _given(known, "disable_overlap_schedule"):
        _imply(known, "disable_overlap_schedule", True, f"implied by speculation without overlap: {reason}")


def _hybrid_cache(known: Known, version: str | None, speculates: bool) -> None:
    """The prefix cache of models with recurrent layers, and how it keeps their state."""
    if speculates and not _given(known, "disable_radix_cache") and not _strategy_given(known):
        value, reason = by_release(
            version,
            ((None, True), ("0.5.4", UNKNOWN), ("0.5.7", False), ("0.5.9", True), ("0.5.10", False)),
        )
        if value is not False:
            _imply(known, "disable_radix_cache", value, f"a hybrid model with speculation: radix cache off is {reason}")
    for name, first in (("mamba_scheduler_strategy", "0.5.7"), ("mamba_radix_cache_strategy", "0.5.14")):
        setting = known.get(name)
        if setting is None or setting.value != "auto" or at_least(version, first) is False:
            continue
        value, reason = by_release(version, ((None, "no_buffer"), ("0.5.14", "extra_buffer")))
        if value == "extra_buffer" and _value(known, "disable_overlap_schedule") is True:
            value, reason = UNKNOWN, "auto without overlap: by the page size"
        _imply(known, name, value, f"auto for a hybrid model: {reason}")


def _strategy_given(known: Known) -> bool:
    return _given(known, "mamba_scheduler_strategy") or _given(known, "mamba_radix_cache_strategy")
