"""From the words of a command to what the engine release makes of them: given, default and implied settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_qwen_mtp.engines import catalogue, implied_sglang, implied_vllm, llamacpp, sglang, vllm
from pytest_qwen_mtp.engines.checks import check
from pytest_qwen_mtp.engines.defaults import defaults, key_defaults
from pytest_qwen_mtp.engines.family import Model, identify_model
from pytest_qwen_mtp.engines.given import Reading
from pytest_qwen_mtp.engines.launcher import launch
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Setting, Settings
from pytest_qwen_mtp.profiles.files import NO_FILES, FileView
from pytest_qwen_mtp.profiles.model import Engine, Word

_COMMON = ("model", "served_model_name", "speculative.method", "speculative.num_speculative_tokens")


def option_words(engine: Engine, words: Sequence[Word]) -> Sequence[Word]:
    """The words of a command that are options and their values: ``vllm serve``, ``python3 -m …`` are taken off."""
    return launch(engine, words).options


def read_settings(
    engine: Engine,
    version: str | None,
    words: Sequence[Word],
    env: Mapping[str, Word | None] | None = None,
    files: FileView = NO_FILES,
    model: Model | None = None,
) -> Settings:
    """What release ``version`` of ``engine`` makes of ``words`` and ``env``; ``version`` None: nobody knows which runs.

    ``words`` may begin with the program. ``files`` answers for files that an option names. ``model``: what is known of
    the model, where more is known than its name (some defaults depend on it). Never raises for what the
    words say: that goes into ``problems``, and a value that cannot be known is UNKNOWN with its reason in ``source``.
    """
    release = catalogue.load(engine).release(version)
    started = launch(engine, words)
    if engine == "vllm":
        reading = vllm.read(started, release, files)
    elif engine == "sglang":
        reading = sglang.read(started, release, files)
    else:
        reading = llamacpp.read(started, release, env or {}, files)
    if started.again is not None:
        reading.say("duplicate-serve", f"{started.again.text} starts the engine a second time", started.again)
    if engine != "llamacpp":
        check(reading, env or {})
    return Settings(engine, version, _complete(reading, version, env or {}, model), tuple(reading.problems))


def _complete(
    reading: Reading, version: str | None, env: Mapping[str, Word | None], model: Model | None
) -> dict[str, Setting]:
    """The given settings over the defaults; where more options may be given than are seen, no default is believed."""
    if reading.open is not None:
        known = {name: Setting(name, UNKNOWN, Origin.DEFAULT, reading.open) for name in _COMMON}
        known.update(reading.known)
        return known
    known = dict(defaults(reading.release))
    for name, setting in reading.known.items():
        if name.endswith("_config") and isinstance(setting.value, Mapping):
            known.update(key_defaults(reading.release, name))
    known.update(reading.known)
    for name in _COMMON[2:]:
        if name not in known:
            known[name] = Setting(name, None, Origin.DEFAULT, "no speculation is asked for")
    if reading.release.engine == "llamacpp":
        return known
    fill = implied_vllm.fill if reading.release.engine == "vllm" else implied_sglang.fill
    fill(known, version, model or _named_model(known), env)
    return known


def _named_model(known: Mapping[str, Setting]) -> Model:
    names = [known[name].value if name in known else None for name in ("model", "quantization")]
    name, quantization = (each if isinstance(each, str) else None for each in names)
    return identify_model(name, quantization=quantization)


def speculation(settings: Settings) -> dict[str, Any] | None:
    """``{"method", "k"}`` as the command asks for it, the method as written; None for none, and for what is unusable.

    ``k`` is None where it is not known.
    """
    whole = settings.known.get("speculative_config")
    if whole is not None and whole.value is UNKNOWN and whole.origin is Origin.GIVEN:
        return None
    method = _plain(settings, "speculative.method")
    count = _plain(settings, "speculative.num_speculative_tokens")
    if settings.engine != "vllm" and method in (None, "none"):
        return None
    if method is None and not isinstance(whole.value if whole is not None else None, Mapping):
        return None
    return {"method": method, "k": count}


def _plain(settings: Settings, name: str) -> Any:
    setting = settings.known.get(name)
    return None if setting is None or setting.value is UNKNOWN else setting.value
