"""Changing options in our own small YAML, where an option is a key and its value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode

from pytest_qwen_mtp.edits import Document, Edit, new_lines, scalar_edit
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.rewording import Splice


def edit_pairs(document: Document, words: Sequence[Word], splice: Splice) -> list[Edit] | None:
    """The edits that change the options of ``splice``; None where they are written in another form."""
    if splice.stop is None:
        return _added(document, words, splice.words)
    first = _pair(document, words[splice.start])
    if first is None:
        return _changed_value(document, words[splice.start], splice.words)
    if not splice.words:
        return _removed(document, words[splice.start : splice.stop])
    mapping, position = first
    key, value = mapping.value[position]
    name, given = _as_pair(splice.words)
    old, _ = _as_pair([words[splice.start].text])
    if splice.stop - splice.start != len(splice.words) or not isinstance(value, ScalarNode):
        return None
    edits = [] if old == name else [scalar_edit(document, key, name)]
    if len(splice.words) > 1 or given is not None:
        edits.append(scalar_edit(document, value, given))
    return None if any(each is None for each in edits) else [each for each in edits if each is not None]


def _pair(document: Document, word: Word) -> tuple[MappingNode, int] | None:
    """The mapping in which the option ``word`` is a key, and the position of the pair."""
    offset = document.offset(word.place)
    item = None if offset is None else document.item(offset)
    if item is None or not isinstance(item.parent, MappingNode) or item.position % 2:
        return None
    if item.parent.flow_style or not word.text.startswith("-"):
        return None
    return item.parent, item.position // 2


def _as_pair(words: Sequence[str]) -> tuple[str, Any]:
    """``--no-x`` is ``x: false``, ``--x`` is ``x: true``, ``--x v`` is ``x: v``."""
    name = words[0].lstrip("-")
    if len(words) > 1:
        text = words[1]
        return name, int(text) if text.isdigit() else text
    return (name.removeprefix("no-"), False) if name.startswith("no-") else (name, True)


def _added(document: Document, words: Sequence[Word], new: Sequence[str]) -> list[Edit] | None:
    for word in reversed(words):
        found = _pair(document, word)
        if found is not None:
            mapping, position = found
            name, value = _as_pair(new)
            text = value if isinstance(value, str) else json.dumps(value)
            end: Node = mapping.value[position][1]
            return [new_lines(document, end, [f"{name}: {text}"], mapping.start_mark.column)]
    return None


def _removed(document: Document, words: Sequence[Word]) -> list[Edit] | None:
    edits: list[Edit] = []
    for word in words:
        if not word.text.startswith("-"):
            continue
        found = _pair(document, word)
        if found is None or len(found[0].value) < 2:
            return None
        key, value = found[0].value[found[1]]
        start = document.line(key.start_mark.index)[0]
        edits.append(Edit(start, new_lines(document, value, [], 0).start, ""))
    return edits


def _changed_value(document: Document, word: Word, new: Sequence[str]) -> list[Edit] | None:
    """The value alone: a scalar, or one key of a mapping that stands for a JSON option."""
    offset = document.offset(word.place)
    item = None if offset is None else document.item(offset)
    if item is None or len(new) != 1 or not isinstance(item.parent, MappingNode):
        return None
    if item.position % 2 and not word.text.startswith("{"):
        value: Any = int(new[0]) if new[0].isdigit() else new[0]
        edit = scalar_edit(document, item.node, value)
        return None if edit is None else [edit]
    try:
        old, wanted = json.loads(word.text), json.loads(new[0])
    except ValueError:
        return None
    if not isinstance(old, Mapping) or not isinstance(wanted, Mapping) or item.parent.flow_style:
        return None
    pairs = {key.value: (key, value) for key, value in item.parent.value}
    edits: list[Edit | None] = []
    for name in [*old, *(each for each in wanted if each not in old)]:
        if old.get(name) == wanted.get(name):
            continue
        if name not in pairs:
            last: Node = item.parent.value[-1][1]
            line = f"{name}: {json.dumps(wanted[name])}"
            edits.append(new_lines(document, last, [line], item.parent.start_mark.column))
        elif name not in wanted:
            key, value = pairs[name]
            edits.append(Edit(document.line(key.start_mark.index)[0], new_lines(document, value, [], 0).start, ""))
        else:
            value = pairs[name][1]
            edits.append(scalar_edit(document, value, wanted[name]) if isinstance(value, ScalarNode) else None)
    return None if any(each is None for each in edits) else [each for each in edits if each is not None]
