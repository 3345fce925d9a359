"""vLLM: values that follow from the model, the release and other settings when nobody gives them.

Read in the wheels of vLLM 0.26.0 and 0.32.0 (engine/arg_utils.py, config/vllm.py, model_executor/models/config.py); the
releases at which a rule changed were found in the wheels between.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_qwen_mtp.engines.defaults import at_least, by_release
from pytest_qwen_mtp.engines.family import Model
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Setting
from pytest_qwen_mtp.profiles.model import Word

Known = dict[str, Setting]

# config/vllm.py, use_v2_model_runner and _get_v2_model_runner_unsupported_features (0.32.0).
_V1_METHODS = frozenset({"suffix", "medusa", "mlp_speculator", "custom_class"})
# config/vllm.py, __post_init__: methods whose drafts may run ahead of the scheduler.
_ASYNC_METHODS = frozenset({"eagle", "eagle3", "extract_hidden_states", "dflash", "ngram_gpu", "dspark"})
_ASYNC_EXECUTORS = frozenset({None, "mp", "uni", "external_launcher"})
_AT_START = {
    "max_num_seqs": "256, or 1024 on a GPU of 70 GiB and more",
    "max_num_batched_tokens": "from the size of the GPU: 2048, 8192 or 16384",
    "max_model_len": "the model's own length",
}
_TRUE = frozenset({"1", "true", "yes", "on"})


def fill(known: Known, version: str | None, model: Model, env: Mapping[str, Word | None]) -> None:
    """Adds the implied settings to ``known`` in place; what was given stays as it was given."""
    _prefix_caching(known, version, model)
    _chunked_prefill(known)
    _mamba_cache_mode(known, version, model)
    _model_runner(known, version, model, env)
    _async_scheduling(known, version)
    if _value(known, "enforce_eager") is True:
        _imply(known, "compilation.cudagraph_mode", "NONE", "implied by --enforce-eager")
    for name, reason in _AT_START.items():
        if _unset(known, name):
            _imply(known, name, UNKNOWN, f"not given: {reason}", Origin.DEFAULT)


def _value(known: Known, name: str) -> Any:
    setting = known.get(name)
    return None if setting is None else setting.value


def _unset(known: Known, name: str) -> bool:
    setting = known.get(name)
    return setting is None or (setting.origin is not Origin.GIVEN and setting.value is None)


def _imply(known: Known, name: str, value: Any, source: str, origin: Origin = Origin.IMPLIED) -> None:
    known[name] = Setting(name, value, origin, source)


def _prefix_caching(known: Known, version: str | None, model: Model) -> None:
    if not _unset(known, "enable_prefix_caching"):
        return
    value: Any
    if _value(known, "runner") == "pooling":
        value, reason = UNKNOWN, "for pooling models it depends on how they pool"
    elif model.hybrid is True:
        value, reason = by_release(version, ((None, False), ("0.28.0", True)))
        reason = f"prefix caching for hybrid models: {reason}"
    elif model.hybrid is False:
        value, reason = True, "prefix caching is on for models with full attention"
    else:
        value, reason = by_release(version, ((None, UNKNOWN), ("0.28.0", True)))
        if value is UNKNOWN:
            reason = "prefix caching: off before 0.28.0 if the model is hybrid, else on; the name does not tell"
    _imply(known, "enable_prefix_caching", value, f"not given; {reason}", Origin.DEFAULT)


def _chunked_prefill(known: Known) -> None:
    if _unset(known, "enable_chunked_prefill"):
        pooling = _value(known, "runner") == "pooling"
        value = UNKNOWN if pooling else True
        reason = "for pooling models it depends on how they pool" if pooling else "on for models that generate"
        _imply(known, "enable_chunked_prefill", value, f"not given; {reason}", Origin.DEFAULT)


def _mamba_cache_mode(known: Known, version: str | None, model: Model) -> None:
    """``align`` with prefix caching; without it ``none``, also where ``align`` is asked for."""
    name = "mamba_cache_mode"
    given, caching = known.get(name), known["enable_prefix_caching"]
    if model.hybrid is False or at_least(version, "0.15") is False:
        return
    if given is not None and given.origin is Origin.GIVEN:
        if model.hybrid is True and caching.value is False and given.value == "align":
            known[name] = Setting(
                name, "none", Origin.IMPLIED, "align is asked for, but prefix caching is off", given.place
            )
        return
    if caching.value is False:
        _imply(known, name, "none", "implied by prefix caching being off")
    elif model.hybrid is None:
        _imply(known, name, UNKNOWN, "align with prefix caching if the model is hybrid", Origin.DEFAULT)
    elif caching.value is UNKNOWN:
        _imply(known, name, UNKNOWN, f"align with prefix caching, none without; {caching.source}", Origin.DEFAULT)
    elif (model.model_type or model.family or "").startswith("qwen"):
        _imply(known, name, "align", "implied by prefix caching")
    else:
        _imply(known, name, UNKNOWN, "with prefix caching align or all, by the model", Origin.DEFAULT)


def _model_runner(known: Known, version: str | None, model: Model, env: Mapping[str, Word | None]) -> None:
    """``use_v2_model_runner``: not an option, but what decides between the two model runners."""
    name = "use_v2_model_runner"
    if "VLLM_USE_V2_MODEL_RUNNER" in env:
        word = env["VLLM_USE_V2_MODEL_RUNNER"]
        if word is None or word.unresolved:
            _imply(known, name, UNKNOWN, "VLLM_USE_V2_MODEL_RUNNER is handed through without a known value")
            return
        known[name] = Setting(
            name,
            word.text.strip().lower() in _TRUE,
            Origin.IMPLIED,
            f"VLLM_USE_V2_MODEL_RUNNER={word.text}",
            word.place,
        )
        return
    if model.hybrid is not True:
        _imply(known, name, UNKNOWN, "which model runner serves it depends on the model's architecture", Origin.DEFAULT)
        return
    v1_only = _value(known, "speculative.method") in _V1_METHODS or any(
        _value(known, each) is True for each in ("enable_dbo", "speculative.parallel_drafting")
    )
    if v1_only:
        value, reason = by_release(version, ((None, False), ("0.29.0", UNKNOWN), ("0.32.0", False)))
    else:
        value, reason = by_release(version, ((None, False), ("0.29.0", True)))
    _imply(known, name, value, f"the V2 model runner for hybrid models: {reason}", Origin.DEFAULT)


def _async_scheduling(known: Known, version: str | None) -> None:
    name = "async_scheduling"
    if not _unset(known, name):
        return
    value, reason = by_release(version, ((None, False), ("0.14.0", True)))
    off = _async_off(known, version) if value is not False else None
    if off is not None:
        value, reason = off
    _imply(known, name, value, f"not given; asynchronous scheduling: {reason}", Origin.DEFAULT)


def _async_off(known: Known, version: str | None) -> tuple[Any, str] | None:
    """(False or UNKNOWN, reason) where another setting keeps asynchronous scheduling from being on; else None."""
    method = _value(known, "speculative.method")
    if _value(known, "runner") == "pooling":
        return False, "off for pooling models"
    if method is UNKNOWN:
        return UNKNOWN, "it depends on the speculative method"
    if method == "draft_model" and at_least(version, "0.32.0") is not True:
        later = at_least(version, "0.26.1") is not False
        return (UNKNOWN, "with a draft model it came between 0.26.0 and 0.32.0") if later else (False, "off with one")
    if method is not None and method != "draft_model" and not _runs_ahead(str(method)):
        return False, f"off with {method}"
    padded = _value(known, "speculative.disable_padded_drafter_batch")
    if padded is True:
        return False, "off with disable_padded_drafter_batch"
    executor = _value(known, "distributed_executor_backend")
    if executor not in _ASYNC_EXECUTORS:
        return UNKNOWN, f"it depends on the executor {executor}"
    stages = _value(known, "pipeline_parallel_size")
    if isinstance(stages, int) and stages > 1:
        if at_least(version, "0.31"):
            runner = _value(known, "use_v2_model_runner")
            if runner is True:
                return None
            return (False if runner is False else UNKNOWN), "off with pipeline parallelism on the V1 model runner"
        if not at_least(version, "0.26"):
            return UNKNOWN, "with pipeline parallelism it depends on the release"
    return None


def _runs_ahead(method: str) -> bool:
    return method in _ASYNC_METHODS or method.endswith("mtp")
