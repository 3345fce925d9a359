"""What the release says against a command after its parser has read it: speculation and environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pytest_qwen_mtp.engines.given import Reading
from pytest_qwen_mtp.engines.model import UNKNOWN, OptionProblem, Setting
from pytest_qwen_mtp.profiles.model import Word

_INVALID = "invalid-speculative-config"
_NAMES: Mapping[str, type | tuple[type, ...]] = {
    "integer": int,
    "number": (int, float),
    "string": str,
    "boolean": bool,
    "array": list,
    "object": Mapping,
    "null": type(None),
}


def check(reading: Reading, env: Mapping[str, Word | None]) -> None:
    """Adds the problems of ``reading``, if the catalogue holds the very release that runs."""
    if not reading.judges or reading.release.asked is None:
        return
    if reading.release.engine == "vllm":
        _vllm_speculation(reading)
        _vllm_objects(reading)
    _method(reading)
    _environment(reading, env)


def _vllm_speculation(reading: Reading) -> None:
    """The keys of ``--speculative-config`` as vLLM's SpeculativeConfig takes them."""
    whole = reading.known.get("speculative_config")
    if whole is None or whole.value is UNKNOWN or whole.value is None:
        return
    if not isinstance(whole.value, Mapping):
        _say(reading, _INVALID, f"--speculative-config is no JSON object but {whole.value!r}", whole)
        return
    option = reading.release.by_name.get("speculative_config")
    keys = reading.release.keys(option.keys) if option is not None and option.keys else {}
    for written, value in whole.value.items():
        key = keys.get(str(written).replace("-", "_"))
        setting = reading.known.get(f"speculative.{str(written).replace('-', '_')}", whole)
        if not keys:
            return
        if key is None:
            near = next(iter(get_close_matches(str(written), list(keys), n=1)), None)
            hint = f"; did you mean {near}?" if near else ""
            _say(
                reading,
                _INVALID,
                f"{reading.release} knows no key {written!r} of --speculative-config{hint}",
                setting,
                near,
            )
        elif value is not UNKNOWN and not _fits(value, key.types):
            wanted = " or ".join(key.types)
            _say(reading, _INVALID, f"--speculative-config {written}: found {value!r}, expected {wanted}", setting)
    count = reading.known.get("speculative.num_speculative_tokens")
    if count is not None and isinstance(count.value, int) and count.value <= 0:
        _say(reading, _INVALID, f"num_speculative_tokens is {count.value}, expected at least 1", count)


def _vllm_objects(reading: Reading) -> None:
    """Keys of the other JSON options that the release turns into config objects: an unknown one is refused."""
    for setting in [each for name, each in reading.known.items() if name.endswith("_config")]:
        option = reading.release.by_name.get(setting.name)
        if option is None or option.keys is None or not option.type.endswith("object"):
            continue
        keys = reading.release.keys(option.keys)
        for written in setting.value if isinstance(setting.value, Mapping) and keys else ():
            if str(written) not in keys:
                near = next(iter(get_close_matches(str(written), list(keys), n=1)), None)
                hint = f"; did you mean {near}?" if near else ""
                message = f"{reading.release} knows no key {written!r} of {option.strings[0]}{hint}"
                _say(reading, "invalid-flag-value", message, setting, near)


def _fits(value: Any, types: tuple[str, ...]) -> bool:
    """Whether a JSON value is of one of ``types``; numbers in text are read as numbers, as the release does."""
    if "any" in types:
        return True
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, str) and ("integer" in types or "number" in types):
        return "string" in types or value.strip().lstrip("+-").replace(".", "", 1).isdigit()
    if isinstance(value, int) and "boolean" in types:
        return value in (0, 1) or "integer" in types or "number" in types
    if isinstance(value, float) and "integer" in types and value.is_integer():
        return True
    return any(isinstance(value, _NAMES[name]) for name in types if name in _NAMES)


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
        _say(reading, "deprecated-spec-method", message, setting, methods[name])


def _environment(reading: Reading, env: Mapping[str, Word | None]) -> None:
    """Variables that another release reads and this one does not. What no release reads may be the user's own."""
    read, ever = reading.release.environment, reading.release.catalogue.tables["environment"]
    for name, word in env.items():
        if word is not None and name in ever and name not in read:
            message = f"{reading.release} does not read {name}"
            reading.problems.append(OptionProblem("ignored-env-var", message, word.place, name))


def _say(reading: Reading, kind: str, message: str, setting: Setting, suggestion: str | None = None) -> None:
    if setting.place is not None:
        reading.problems.append(OptionProblem(kind, message, setting.place, setting.name, suggestion))
