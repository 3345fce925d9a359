"""vLLM: from the words of a command to settings, by the rules of its own parser.

vLLM 0.26.0 and 0.32.0, utils/argparse_utils.py (FlexibleArgumentParser): underscores in option names count as dashes,
``-O3`` is an optimization level, dotted options are gathered into one JSON value that is put behind all other words,
and ``--config FILE`` is put in front of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_qwen_mtp.engines.arguments import Argument, parse
from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.configfile import BadConfigFile, words_of
from pytest_qwen_mtp.engines.given import Reading, flatten, is_leftover, strays, take, unresolved_names
from pytest_qwen_mtp.engines.launcher import Launch
from pytest_qwen_mtp.engines.model import UNKNOWN, OptionProblem
from pytest_qwen_mtp.engines.options import BadValue, human_int
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.model import Word

_METHOD = re.compile(r'"method"\s*:\s*"([\w.-]+)"')
_REFERENCE = re.compile(r"[$`{}]")
_COUNT = re.compile(r'"num_speculative_tokens"\s*:\s*(\d+)\s*[,}]')
# engine/arg_utils.py, create_speculative_config: the three shortcuts fill the same dictionary.
_SHORTCUTS = {"spec_method": "method", "spec_model": "model", "spec_tokens": "num_speculative_tokens"}


def read(launch: Launch, release: Release, files: FileView) -> Reading:
    """Settings that the words give. Defaults are not filled in here."""
    reading = Reading(release, launch)
    arguments = [Argument(word.text, word) for word in launch.options]
    arguments = _with_config(reading, arguments, files)
    places: dict[str, Mapping[str, Word]] = {}
    parsed = parse(_rewritten(arguments, places, release), release)
    take(reading, parsed)
    _model(reading, parsed.strays)
    _optimization_level(reading)
    _json_settings(reading, places)
    _speculative(reading)
    return reading


def _with_config(reading: Reading, arguments: list[Argument], files: FileView) -> list[Argument]:
    index = next((i for i, each in enumerate(arguments) if each.text == "--config"), None)
    if index is None:
        return arguments
    if index + 1 >= len(arguments):
        return arguments
    path = arguments[index + 1]
    rest = arguments[:index] + arguments[index + 2 :]
    reading.give("config", path.text, f"--config {path.text}", path.word.place)
    known = not path.word.unresolved or files.wrote(path.text)
    source = files.read(path.text) if known else None
    if source is None:
        reading.open = f"--config {path.text} could not be read and may hold more options"
        return rest
    release = reading.release
    negated = release.by_string if release.asked is not None else release.catalogue.any_release

    def boolean(key: str, value: bool) -> list[str]:
        if value:
            return ["--" + key]
        return [f"--no-{key}"] if "--no-" + key.replace("_", "-") in negated or not negated else []

    try:
        words = words_of(source, boolean)
    except BadConfigFile as error:
        reading.open = f"--config {path.text} {error}"
        reading.say("invalid-flag-value", f"--config {path.text} {error}", path.word, "--config")
        return rest
    # In front of the command line, so that the command line wins; a positional model stays first.
    front = 1 if rest and not rest[0].text.startswith("-") else 0
    return rest[:front] + words + rest[front:]


def _rewritten(
    arguments: Sequence[Argument], places: dict[str, Mapping[str, Word]], release: Release
) -> list[Argument]:
    """The words as the parser proper sees them. ``places`` gets, for each dotted option, the word of every key."""
    out: list[Argument] = []
    dotted: dict[str, tuple[dict[str, Any], dict[str, Word], Word, list[Word]]] = {}
    index, count = 0, len(arguments)
    while index < count:
        argument = arguments[index]
        text, word = argument
        index += 1
        if text[:1] != "-" or (text[:2] == "--" and "." not in text and "_" not in text):
            out.append(argument)
            continue
        if text[:2] == "--":
            head, equals, tail = text.partition("=")
            name, dot, path = head.partition(".")
            if "_" in name:
                name = "--" + name[2:].replace("_", "-")
                argument = Argument(name + dot + path + equals + tail, word)
        else:
            if text[:2] == "-O":
                text = _level(text, arguments[index].text if index < count else "", release)
                if text[:2] == "--":
                    out.append(Argument(text, word))
                    continue
            head, equals, tail = text.partition("=")
            name, dot, path = head.partition(".")
        if not dot or not name.strip("-") or name[1:2].isdigit():
            out.append(argument)
            continue
        if equals:
            value_word = word
        elif index < count:
            tail, value_word = arguments[index]
            index += 1
        else:
            out.append(argument)
            continue
        fields, words, _, sources = dotted.setdefault(name, ({}, {}, word, []))
        sources += [word] if value_word is word else [word, value_word]
        _merge(fields, words, path, tail, value_word)
    for name, (fields, words, word, sources) in dotted.items():
        places[name] = words
        references = tuple(reference for each in sources for reference in each.references)
        value = json.dumps(fields)
        out += [Argument(name, word), Argument(value, Word(value, word.place, references))]
    return out


def _level(text: str, following: str, release: Release) -> str:
    """``-O3``, ``-O=3`` and ``-O`` before a 3 as the option that they stand for; ``-O.x`` is an old way to write -cc.x.

    Up to 0.11.2 the level is a key of the compilation config, whose alias ``-O`` is (0.10.2, utils/__init__.py: level;
    0.11.1, utils/argparse_utils.py: mode).
    """
    alone = text == "-O"
    if text[2:3] == ".":
        return "-cc" + text[2:] if "-cc" in release.by_string else text
    if alone and following not in ("0", "1", "2", "3"):
        return text
    value = "" if alone else f"={text[3:] if text[2] == '=' else text[2:]}"
    if "--optimization-level" in release.by_string:
        return "--optimization-level" + value
    option = release.by_string.get("--compilation-config")
    keys = release.keys(option.keys) if option is not None and option.keys else {}
    return f"-O.{'mode' if 'mode' in keys else 'level'}{value}"


def _merge(fields: dict[str, Any], words: dict[str, Word], path: str, text: str, word: Word) -> None:
    if path.endswith("+"):
        path, text = path[:-1], json.dumps(text.split(","))
    value: Any
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = human_int(text)
        except BadValue:
            value = text
    *parents, last = path.split(".")
    inner = fields
    for parent in parents:
        held = inner.get(parent)
        if not isinstance(held, dict):
            held = inner[parent] = {}
        inner = held
    before = inner.get(last)
    inner[last] = before + value if isinstance(before, list) and isinstance(value, list) else value
    words[path.replace("-", "_")] = word


def _model(reading: Reading, stray: list[Argument]) -> None:
    """The positional model; with ``--model`` as well, the option wins, as it is moved to the front."""
    rest = list(stray)
    if rest and "model" in reading.known and reading.launch.kind != "serve" and not is_leftover(rest[0]):
        rest.pop(0)  # the parser takes one positional word and the option's value counts
    if rest and "model" not in reading.known and not is_leftover(rest[0]):
        first = rest.pop(0)
        unknown = unresolved_names([first])
        value = UNKNOWN if unknown else first.text
        reading.give(
            "model", value, f"positional model {first.text}: {unknown}" if unknown else first.text, first.word.place
        )
    strays(reading, rest)
    model = reading.known.get("model")
    word = reading.launch.options[0] if reading.launch.options else reading.launch.first
    if model is not None and model.value == "" and model.place is not None:
        reading.problems.append(OptionProblem("empty-model", "the model is empty", model.place, "--model"))
    elif model is None and reading.launch.kind in ("serve", "server") and reading.open is None and word is not None:
        reading.say("empty-model", "no model is given; vLLM then serves its default, Qwen/Qwen3-0.6B", word, "--model")


def _optimization_level(reading: Reading) -> None:
    """The parser keeps the level as text; the engine makes a number of it (config/vllm.py, OptimizationLevel)."""
    setting = reading.known.get("optimization_level")
    if setting is not None and isinstance(setting.value, str) and setting.value.isdecimal():
        reading.give(setting.name, int(setting.value), setting.source, setting.place)


def _json_settings(reading: Reading, places: Mapping[str, Mapping[str, Word]]) -> None:
    """``speculative_config`` also as ``speculative.*``, and so for every other JSON option."""
    for name in [each for each in reading.known if each.endswith("_config")]:
        setting = reading.known[name]
        value = _partly_known(reading, name) if setting.value is UNKNOWN else setting.value
        if not isinstance(value, Mapping):
            continue
        prefix = name.removesuffix("_config")
        if value is not setting.value:
            reading.give(name, value, setting.source, setting.place)
        flatten(reading, prefix, value, setting.source, setting.place)
        for string, words in places.items():
            option = reading.release.by_string.get(string) or reading.release.elsewhere(string)
            if (option.name if option else string.lstrip("-").replace("-", "_")) != name:
                continue
            for path, word in words.items():
                each = f"{prefix}.{path}"
                if each in reading.known:
                    reading.give(each, reading.known[each].value, f"{string}.{path}", word.place)


def _speculative(reading: Reading) -> None:
    known = reading.known
    whole = known.get("speculative_config")
    for name, key in _SHORTCUTS.items():
        shortcut = known.get(name)
        if shortcut is None:
            continue
        target = f"speculative.{key}"
        if target in known and reading.judges:
            message = f"--{name.replace('_', '-')} and --speculative-config {key} exclude each other"
            place = shortcut.place or known[target].place
            if place is not None:
                reading.problems.append(
                    OptionProblem("invalid-speculative-config", message, place, name, stage="config")
                )
        reading.give(target, shortcut.value, shortcut.source, shortcut.place)
    if whole is None or whole.value is not UNKNOWN:
        return
    # The value cannot be used as it stands. What it says in plain sight still tells what was meant.
    text = reading.raw.get("speculative_config", "")
    method, count = _METHOD.search(text), _COUNT.search(text)
    for name, value in (
        ("method", method[1] if method else UNKNOWN),
        ("num_speculative_tokens", int(count[1]) if count else UNKNOWN),
    ):
        if f"speculative.{name}" not in known:
            reading.give(f"speculative.{name}", value, whole.source, whole.place)


def _partly_known(reading: Reading, name: str) -> Any:
    """The mapping of a JSON option whose word needs variables, with UNKNOWN for what they fill in; else UNKNOWN."""
    try:
        value = json.loads(reading.raw.get(name, ""))
    except (ValueError, RecursionError):
        return UNKNOWN
    return _without_references(value) if isinstance(value, Mapping) else UNKNOWN


def _without_references(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_references(inner) for key, inner in value.items()}
    return UNKNOWN if isinstance(value, str) and (not value or _REFERENCE.search(value)) else value
