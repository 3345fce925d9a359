"""Setting an environment variable of a server in the text of its Compose file."""

from __future__ import annotations

import json
from collections.abc import Sequence

from yaml.nodes import MappingNode, SequenceNode

from pytest_qwen_mtp.edits import Document, Edit, new_lines, replace_word
from pytest_qwen_mtp.profiles.model import ServeProfile, Word


def set_variable(document: Document, profile: ServeProfile, name: str, value: object) -> Sequence[Edit]:
    """The edit after which the server has ``name`` with ``value`` (None: has it no more); nothing where the file's form
    offers no place."""
    known = [profile.env, *(command.env for command in profile.commands)]
    held = next((word for env in known for each, word in env.items() if each == name and word is not None), None)
    if value is None:
        return () if held is None else _removed(document, held)
    if held is not None:
        edit = replace_word(document, held, str(value))
        return () if edit is None else (edit,)
    for word in (word for env in known for word in env.values() if word is not None):
        edit = _beside(document, word, name, str(value))
        if edit is not None:
            return (edit,)
    return _new_block(document, profile.image, name, str(value))


def _removed(document: Document, word: Word) -> Sequence[Edit]:
    offset = document.offset(word.place)
    item = None if offset is None else document.item(offset)
    if item is None or item.parent.flow_style or len(item.parent.value) < 2:
        return ()
    if isinstance(item.parent, MappingNode) and item.position % 2 == 0:
        return ()
    pair = isinstance(item.parent, MappingNode)
    first = item.parent.value[item.position // 2][0] if pair else item.node
    return (Edit(document.line(first.start_mark.index)[0], new_lines(document, item.node, [], 0).start, ""),)


def _beside(document: Document, word: Word, name: str, value: str) -> Edit | None:
    offset = document.offset(word.place)
    item = None if offset is None else document.item(offset)
    if item is None or item.parent.flow_style:
        return None
    if isinstance(item.parent, SequenceNode):
        line = f"- {name}={value}"
    elif item.position % 2 == 1:
        line = f"{name}: {json.dumps(value)}"
    else:
        return None
    return new_lines(document, item.node, [line], item.parent.start_mark.column)


def _new_block(document: Document, image: Word | None, name: str, value: str) -> Sequence[Edit]:
    """``environment:`` behind the image, in a service that has none."""
    offset = document.offset(image.place) if image is not None else None
    item = None if offset is None else document.item(offset)
    if item is None or not isinstance(item.parent, MappingNode) or item.parent.flow_style:
        return ()
    if any(key.value == "environment" for key, _ in item.parent.value):
        return ()
    lines = ["environment:", f"  {name}: {json.dumps(value)}"]
    return (new_lines(document, item.node, lines, item.parent.start_mark.column),)
