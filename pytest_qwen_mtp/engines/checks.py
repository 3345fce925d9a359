"""What the release says against a command after its parser has read it: speculation and environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from pytest_qwen_mtp.engines.fits import misfits, out_of_bounds
from pytest_qwen_mtp.engines.given import Reading
from pytest_qwen_mtp.engines.model import UNKNOWN, OptionProblem, Setting, Stage
from pytest_qwen_mtp.profiles.model import Word

_INVALID = "invalid-speculative-config"
_WITHOUT_MODEL = frozenset({"dspark", "ngram", "[ngram]", "ngram_gpu", "suffix", "extract_hidden_states"})
_SHORTCUTS = ("spec_method", "spec_model", "spec_tokens")
_REQUIRES = {"enable_auto_tool_choice": "tool_call_parser", "enable_log_outputs": "enable_log_requests"}


def check(reading: Reading, env: Mapping[str, Word | None]) -> None:
    """Adds the problems of ``reading``, if the catalogue holds the very release that runs."""
    if not reading.judges or reading.release.asked is None:
        return
    if reading.release.engine == "vllm":
        _vllm_speculation(reading)
        _vllm_objects(reading)
        _fast_prefill(reading)
        if reading.open is None:
            _required(reading)
    _method(reading)
    _environment(reading, env)


def _vllm_speculation(reading: Reading) -> None:
    """The keys of ``--speculative-config`` as vLLM's SpeculativeConfig takes them."""
    whole = reading.known.get("speculative_config")
    if whole is None or whole.value is None:
        if reading.open is None and any(_has_value(reading, name) for name in _SHORTCUTS):
            _speculation_complete(reading)
        return
    if whole.value is UNKNOWN:
        return
    if not isinstance(whole.value, Mapping):
        _say(reading, _INVALID, f"--speculative-config is no JSON object but {whole.value!r}", whole)
        return
    option = reading.release.by_name.get("speculative_config")
    if option is None or option.keys is None:
        return
    # An unknown method has its own rule, and a count below one its own words.
    value = {key: each for key, each in whole.value.items() if str(key) != "method" or not isinstance(each, str)}
    told = len(reading.problems)
    count = reading.known.get("speculative.num_speculative_tokens")
    if count is not None and type(count.value) is int and count.value <= 0:
        _say(reading, _INVALID, f"num_speculative_tokens is {count.value}, expected at least 1", count)
        value.pop("num_speculative_tokens", None)
    for path, message, near in misfits(value, option.keys, reading.release):
        setting = reading.known.get(f"speculative.{path.replace('-', '_')}", whole)
        _say(reading, _INVALID, f"--speculative-config: {message}", setting, near)
    if len(reading.problems) == told:  # a misspelt key is no missing one
        _speculation_complete(reading)


def _has_value(reading: Reading, name: str) -> bool:
    setting = reading.known.get(name)
    return setting is not None and setting.value is not None


def _speculation_complete(reading: Reading) -> None:
    """A count needs a draft model unless the method drafts without one; without a model the count is needed.

    vLLM 0.11.0 and 0.32.0, config/speculative.py, SpeculativeConfig.__post_init__.
    """
    given = {name: reading.known.get(f"speculative.{name}") for name in ("method", "model", "num_speculative_tokens")}
    method, model, count = (None if each is None else each.value for each in given.values())
    anchor = given["method"] or given["num_speculative_tokens"] or reading.known.get("speculative_config")
    if anchor is None or UNKNOWN in (method, model, count) or model is not None or method == "suffix":
        return
    meant = reading.release.methods.get(method, method) if isinstance(method, str) else method
    if count is None:
        _say(reading, _INVALID, "num_speculative_tokens is missing: nothing says how many tokens to draft", anchor)
    elif meant != "mtp" and meant not in _WITHOUT_MODEL and (method is None or method in reading.release.methods):
        _say(reading, _INVALID, f"the method {method or 'draft_model'} needs a draft model, and none is given", anchor)


def _required(reading: Reading) -> None:
    """Options that the server refuses alone (vLLM 0.11.0 and 0.32.0, cli_args.py: validate_parsed_serve_args)."""
    for name, needed in _REQUIRES.items():
        setting = reading.known.get(name)
        other = reading.known.get(needed)
        if setting is not None and setting.value is True and (other is None or other.value in (None, False)):
            option = f"--{needed.replace('_', '-')}"
            message = f"--{name.replace('_', '-')} is refused without {option}"
            _say(reading, "invalid-flag-value", message, setting, option)


def _fast_prefill(reading: Reading) -> None:
    """Drafting by a head of the model needs what fast prefill leaves out (0.11.0 to 0.33.0, config/vllm.py)."""
    setting = reading.known.get("kv_sharing_fast_prefill")
    method = reading.known.get("speculative.method")
    if setting is None or setting.value is not True or method is None or not isinstance(method.value, str):
        return
    if reading.release.methods.get(method.value) in ("mtp", "eagle", "eagle3"):
        message = f"{reading.release} refuses --kv-sharing-fast-prefill with speculation by {method.value}"
        _say(reading, "invalid-flag-value", message, setting)


def _vllm_objects(reading: Reading) -> None:
    """Keys and values of the other JSON options that the release turns into config objects."""
    checked = reading.release.checked
    for name in [each for each in reading.known if each in checked and each != "speculative_config"]:
        option, setting = checked[name], reading.known[name]
        if option.keys is not None and isinstance(setting.value, Mapping):
            stage: Stage = "parser" if option.type.endswith("object") else "config"
            for _, message, near in misfits(setting.value, option.keys, reading.release):
                _say(reading, "invalid-flag-value", f"{option.strings[0]}: {message}", setting, near, stage)
        elif option.bounds:
            wrong = out_of_bounds(setting.value, option.bounds)
            if wrong is not None:
                _say(reading, "invalid-flag-value", f"{option.strings[0]}: {wrong}", setting)


def _method(reading: Reading) -> None:
    setting = reading.known.get("speculative.method")
    methods = reading.release.methods
    if setting is None or not isinstance(setting.value, str) or not methods:
        return
    name = setting.value.upper() if reading.release.engine == "sglang" else setting.value
    if name not in methods:
        near = next(iter(get_close_matches(name, list(methods), n=1)), None)
        hint = f"; did you mean {near}?" if near else ""
        message = f"{reading.release} knows no speculative method {setting.value!r}{hint}"
        _say(reading, "unknown-spec-method", message, setting, near)
    elif reading.release.engine == "vllm" and methods[name] != name:
        message = f"{reading.release} reads the method {name} as {methods[name]} and warns that the name is deprecated"
        _say(reading, "deprecated-spec-method", message, setting, methods[name], "running")


def _environment(reading: Reading, env: Mapping[str, Word | None]) -> None:
    """Variables that another release reads and this one does not. What no release reads may be the user's own."""
    read, ever = reading.release.environment, reading.release.catalogue.tables["environment"]
    for name, word in env.items():
        if word is not None and name in ever and name not in read:
            message = f"{reading.release} does not read {name}"
            reading.problems.append(OptionProblem("ignored-env-var", message, word.place, name, stage="running"))


def _say(
    reading: Reading,
    kind: str,
    message: str,
    setting: Setting,
    suggestion: str | None = None,
    stage: Stage = "config",
) -> None:
    if setting.place is not None:
        reading.problems.append(OptionProblem(kind, message, setting.place, setting.name, suggestion, stage=stage))
