"""llama.cpp's server: flags, ``LLAMA_ARG_*`` variables and preset files to settings.

The server reads a flag as written, and the variable of a flag only where the flag is not given. A preset file is INI:
a section is a model, ``[*]`` holds for all, a key is a flag without its dashes or the name of a variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_qwen_mtp.engines.arguments import Argument, Given
from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.given import Reading, unresolved_names
from pytest_qwen_mtp.engines.launcher import Launch
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Setting
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import SourceText

# Long name of a flag → its other spellings, for those that have any (llama.cpp, common/arg.cpp). The attribute is the
# long name with underscores; the variable is LLAMA_ARG_ and the long name in capitals unless ``_VARIABLES`` says more.
_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "--model": ("-m",),
    "--alias": ("-a",),
    "--ctx-size": ("-c",),
    "--batch-size": ("-b",),
    "--ubatch-size": ("-ub",),
    "--parallel": ("-np",),
    "--n-gpu-layers": ("-ngl", "--gpu-layers"),
    "--flash-attn": ("-fa",),
    "--cache-type-k": ("-ctk",),
    "--cache-type-v": ("-ctv",),
    "--threads": ("-t",),
    "--threads-batch": ("-tb",),
    "--n-predict": ("-n", "--predict"),
    "--split-mode": ("-sm",),
    "--tensor-split": ("-ts",),
    "--main-gpu": ("-mg",),
    "--device": ("-dev",),
    "--override-tensor": ("-ot",),
    "--cpu-moe": ("-cmoe",),
    "--n-cpu-moe": ("-ncmoe",),
    "--cont-batching": ("-cb",),
    "--hf-repo": ("-hf", "-hfr"),
    "--hf-file": ("-hff",),
    "--mmproj": ("-mm",),
    "--model-url": ("-mu",),
    "--model-draft": ("-md", "--spec-draft-model"),
    "--spec-draft-n-max": ("--draft-max", "--draft", "--draft-n"),
    "--spec-draft-n-min": ("--draft-min", "--draft-n-min"),
    "--spec-draft-p-min": ("--draft-p-min",),
    "--spec-draft-ngl": ("-ngld", "--gpu-layers-draft", "--n-gpu-layers-draft"),
    "--spec-draft-type-k": ("-ctkd", "--cache-type-k-draft"),
    "--spec-draft-type-v": ("-ctvd", "--cache-type-v-draft"),
    "--spec-draft-device": ("-devd", "--device-draft"),
    "--ctx-checkpoints": ("--swa-checkpoints",),
    "--cache-ram": ("-cram",),
}
_VARIABLES: Mapping[str, str] = {
    "LLAMA_ARG_N_PARALLEL": "parallel",
    "LLAMA_ARG_BATCH": "batch_size",
    "LLAMA_ARG_UBATCH": "ubatch_size",
    "LLAMA_ARG_MODEL_DRAFT": "model_draft",
    "LLAMA_ARG_DRAFT_MAX": "spec_draft_n_max",
    "LLAMA_ARG_DRAFT_MIN": "spec_draft_n_min",
    "LLAMA_ARG_DRAFT_P_MIN": "spec_draft_p_min",
    "HF_TOKEN": "hf_token",
}
_CANONICAL = {spelling: long for long, spellings in _SPELLINGS.items() for spelling in spellings}
# Flags that take no value. Everything else takes one where a value follows.
_SWITCHES = frozenset(
    {
        "cache-prompt",
        "check-tensors",
        "cont-batching",
        "context-shift",
        "cpu-moe",
        "direct-io",
        "embedding",
        "embeddings",
        "escape",
        "ignore-eos",
        "jinja",
        "kv-offload",
        "kv-unified",
        "log-disable",
        "metrics",
        "mlock",
        "mmap",
        "models-autoload",
        "no-cache-idle-slots",
        "no-cache-prompt",
        "no-cont-batching",
        "no-context-shift",
        "no-direct-io",
        "no-escape",
        "no-host",
        "no-jinja",
        "no-kv-offload",
        "no-kv-unified",
        "no-mmap",
        "no-mmproj",
        "no-models-autoload",
        "no-op-offload",
        "no-perf",
        "no-repack",
        "no-slots",
        "no-warmup",
        "no-webui",
        "offline",
        "op-offload",
        "perf",
        "props",
        "repack",
        "reranking",
        "slots",
        "special",
        "spm-infill",
        "swa-full",
        "verbose",
        "warmup",
        "webui",
    }
)
_COMMON = (
    ("spec_type", "speculative.method"),
    ("spec_draft_n_max", "speculative.num_speculative_tokens"),
    ("model_draft", "speculative.model"),
    ("alias", "served_model_name"),
)


def canonical(string: str) -> str:
    """The long spelling of an option; one that is not known stays as it is."""
    return _CANONICAL.get(string, string)


def is_switch(string: str) -> bool:
    """Whether the option takes no value."""
    return canonical(string).lstrip("-") in _SWITCHES


def read(launch: Launch, release: Release, env: Mapping[str, Word | None], files: FileView) -> Reading:
    """Settings that words, variables and a preset file give, the words first. ``model`` may be a Hugging Face name."""
    reading = Reading(release, launch)
    for given in _flags(launch.options):
        _take(reading, given)
    for name, word in env.items():
        if name.startswith("LLAMA_ARG_"):
            _variable(reading, name, word)
    preset = reading.known.get("models_preset")
    if preset is not None:
        _preset(reading, preset.value, preset.place, files)
    _common(reading)
    return reading


def _flags(words: Sequence[Word]) -> list[Given]:
    found: list[Given] = []
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        text = word.text
        if not text.startswith("-") or text == "-":
            continue
        head, equals, tail = text.partition("=")
        # common/arg.cpp: underscores of a long flag count as dashes.
        string = "--" + head[2:].replace("_", "-") if head.startswith("--") else head
        string = _CANONICAL.get(string, string)
        values: list[Argument] = []
        if equals:
            values = [Argument(tail, word)]
        elif string.lstrip("-") not in _SWITCHES and index < len(words) and not _looks_like_flag(words[index].text):
            values = [Argument(words[index].text, words[index])]
            index += 1
        found.append(Given(string, None, values, word))
    return found


def _looks_like_flag(text: str) -> bool:
    return len(text) > 1 and text[0] == "-" and not text[1].isdigit() and text[1] != "."


def _take(reading: Reading, given: Given) -> None:
    name = given.string.lstrip("-").replace("-", "_")
    source = " ".join((given.string, *(each.text for each in given.values)))
    place = given.values[0].word.place if given.values else given.word.place
    unknown = unresolved_names(given.values)
    if unknown:
        reading.give(name, UNKNOWN, f"{source}: {unknown}", place)
    elif not given.values and name.startswith("no_"):
        reading.give(name[3:], False, source, place)
    else:
        reading.give(name, _value(given.values[0].text) if given.values else True, source, place)


def _value(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _variable(reading: Reading, variable: str, word: Word | None) -> None:
    name = _VARIABLES.get(variable) or variable.removeprefix("LLAMA_ARG_").lower()
    if name in reading.known:
        return
    if word is None:
        reading.known[name] = _unknown(name, f"{variable} is handed through without a value")
        return
    unknown = unresolved_names([Argument(word.text, word)])
    value = UNKNOWN if unknown else _value(word.text)
    reading.give(name, value, f"{variable}={word.text}" + (f": {unknown}" if unknown else ""), word.place)


def _unknown(name: str, reason: str) -> Setting:
    return Setting(name, UNKNOWN, Origin.GIVEN, reason)


def _preset(reading: Reading, path: object, place: Place | None, files: FileView) -> None:
    source = files.read(path) if isinstance(path, str) else None
    if source is None:
        reading.open = f"the preset file {path} could not be read"
        return
    sections = _sections(source)
    shared = sections.pop("*", {})
    models = {name: {**shared, **own} for name, own in sections.items()}
    for section, entries in models.items():
        for name, (value, where) in entries.items():
            reading.give(f"preset.{section}.{name}", value, f"[{section}] of {path}", where)
    # One command, several models: the one that drafts speaks for it, else the first.
    drafting = [
        name for name, entries in models.items() if "spec_type" in entries and entries["spec_type"][0] != "none"
    ]
    chosen = next(iter(drafting or models), None)
    for name, (value, where) in models.get(chosen or "", {}).items():
        if name not in reading.known:
            reading.give(name, value, f"[{chosen}] of {path}", where)


def _sections(source: SourceText) -> dict[str, dict[str, tuple[str | int | float, Place]]]:
    """INI sections; lines before the first section (``version = 1``) are no settings."""
    sections: dict[str, dict[str, tuple[str | int | float, Place]]] = {}
    current: dict[str, tuple[str | int | float, Place]] | None = None
    offset = 0
    for line in source.text.splitlines(keepends=True):
        stripped = line.strip()
        at = offset + len(line) - len(line.lstrip())
        offset += len(line)
        if not stripped or stripped[0] in ";#":
            continue
        if stripped[0] == "[" and stripped[-1] == "]":
            current = sections.setdefault(stripped[1:-1].strip(), {})
            continue
        key, equals, value = stripped.partition("=")
        if current is None or not equals:
            continue
        current[_attribute(key.strip())] = (_value(value.strip()), source.place(at))
    return sections


def _attribute(key: str) -> str:
    """The attribute that a preset key (``n-gpu-layers``, ``c``, ``LLAMA_ARG_…``) sets."""
    if key.startswith("LLAMA_ARG_"):
        return _VARIABLES.get(key) or key.removeprefix("LLAMA_ARG_").lower()
    bare = key.lstrip("-")
    string = _CANONICAL.get("-" + bare) or _CANONICAL.get("--" + bare) or bare
    return string.lstrip("-").replace("-", "_")


def _common(reading: Reading) -> None:
    known = reading.known
    for name, common in _COMMON:
        if name in known:
            reading.known[common] = replace(known[name], name=common)
    if "model" not in known:
        for name in ("hf_repo", "hf_file", "model_url"):
            if name in known:
                reading.known["model"] = replace(known[name], name="model")
                break
