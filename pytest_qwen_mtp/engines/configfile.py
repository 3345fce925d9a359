"""``--config FILE``: the engine's own YAML file, as the words that its loader makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pytest_qwen_mtp.engines.arguments import Argument
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import SourceText

Boolean = Callable[[str, bool], list[str]]


class BadConfigFile(ValueError):
    """The file is no YAML mapping; the message says what was found."""


def words_of(source: SourceText, boolean: Boolean) -> list[Argument]:
    """The words for every key of the mapping in ``source``, each with its place there.

    ``boolean(key, value)`` gives the words of a true or false value, where engines differ. A list becomes several
    words, a mapping one word of JSON (vLLM 0.26.0, utils/argparse_utils.py: load_config_file). Raises BadConfigFile.
    """
    import yaml

    from pytest_qwen_mtp.profiles.yamltree import Unreadable, parse_yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    constructor = yaml.constructor.SafeConstructor()
    try:
        root = yaml.compose(source.text, Loader=loader)
        if root is None:
            return []
        if not isinstance(root, yaml.MappingNode):
            raise BadConfigFile("expected a mapping of options at the top")
        if "*" in source.text:
            parse_yaml(source.text, source.path)  # refuses aliases that unfold without measure
        constructor.flatten_mapping(root)
        arguments: list[Argument] = []
        for key_node, value_node in root.value:
            key = str(constructor.construct_object(key_node, deep=True))
            value = constructor.construct_object(value_node, deep=True)
            flag = Argument("--" + key, _word(source, key_node, "--" + key))
            arguments.extend(_words(source, flag, value, value_node, boolean))
        return arguments
    except Unreadable as error:
        raise BadConfigFile(error.problem.message) from None
    except yaml.YAMLError as error:
        raise BadConfigFile(f"is not YAML: {' '.join(str(error).split())}") from None
    except (RecursionError, TypeError, ValueError) as error:
        raise error if isinstance(error, BadConfigFile) else BadConfigFile(f"cannot be read: {error}") from None


def _words(source: SourceText, flag: Argument, value: Any, node: Any, boolean: Boolean) -> list[Argument]:
    key = flag.text[2:]
    if isinstance(value, bool):
        return [Argument(text, flag.word) for text in boolean(key, value)]
    if isinstance(value, list):
        items = getattr(node, "value", [])
        return (
            [flag, *(Argument(str(v), _word(source, n, str(v))) for v, n in zip(value, items, strict=False))]
            if value
            else []
        )
    text = json.dumps(value) if isinstance(value, Mapping) else str(value)
    return [flag, Argument(text, _word(source, node, text))]


def _word(source: SourceText, node: Any, text: str) -> Word:
    start, end = node.start_mark.index, node.end_mark.index
    return Word(text, source.place(start), source.references(start, end) if source.uses else ())
