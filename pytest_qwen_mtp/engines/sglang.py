"""SGLang: from the words of a command to settings, by the rules of its own parser.

It is plain argparse (SGLang 0.5.13 and 0.5.23, server_args.py: prepare_server_args), with ``--config FILE`` put in
front of the command line (server_args_config_parser.py).
"""

from __future__ import annotations

from pytest_qwen_mtp.engines.arguments import Argument, parse
from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.configfile import BadConfigFile, words_of
from pytest_qwen_mtp.engines.given import Reading, strays, take
from pytest_qwen_mtp.engines.launcher import Launch
from pytest_qwen_mtp.profiles.files import FileView


def read(launch: Launch, release: Release, files: FileView) -> Reading:
    """Settings that the words give, with the common names beside SGLang's own. Defaults are not filled in here."""
    reading = Reading(release, launch)
    arguments = _with_config(reading, [Argument(word.text, word) for word in launch.options], files)
    parsed = parse(arguments, release)
    take(reading, parsed)
    strays(reading, parsed.strays)
    if "model_path" not in reading.known and launch.kind in ("serve", "server") and reading.open is None:
        word = launch.options[0] if launch.options else launch.first
        if word is not None:
            reading.say("empty-model", "no model is given; SGLang wants --model-path", word, "--model-path")
    for name, common in (
        ("model_path", "model"),
        ("speculative_algorithm", "speculative.method"),
        ("speculative_num_steps", "speculative.num_speculative_tokens"),
        ("speculative_draft_model_path", "speculative.model"),
    ):
        setting = reading.known.get(name)
        if setting is not None:
            reading.give(common, setting.value, setting.source, setting.place)
    return reading


def _with_config(reading: Reading, arguments: list[Argument], files: FileView) -> list[Argument]:
    index = next((i for i, each in enumerate(arguments) if each.text == "--config"), None)
    if index is None or index + 1 >= len(arguments):
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

    def boolean(key: str, value: bool) -> list[str]:
        # A flag without value is set or left out; an option with a value gets "true" or "false".
        string = "--" + key.replace("_", "-")
        option = release.by_string.get(string) or release.elsewhere(string)
        if option is not None and option.takes_value:
            return ["--" + key, str(value).lower()]
        return ["--" + key] if value else []

    try:
        return words_of(source, boolean) + rest
    except BadConfigFile as error:
        reading.open = f"--config {path.text} {error}"
        reading.say("invalid-flag-value", f"--config {path.text} {error}", path.word, "--config")
        return rest
