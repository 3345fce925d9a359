"""Findings that the author of a file has accepted in its ``x-qwen-mtp`` block: the items of ``ignore``."""

from __future__ import annotations

from dataclasses import dataclass

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.excerpt import excerpt
from pytest_qwen_mtp.profiles.scalars import is_null
from pytest_qwen_mtp.profiles.yamltree import Tree

_KEYS = ("rule", "until", "reason")
_EXPECTED = "expected `- {rule: ID, until: YYYY-MM-DD, reason: why}`"


@dataclass(frozen=True, slots=True)
class Ignored:
    """One item as it stands: ids, day and reason are texts that nobody has checked yet.

    ``wrong`` says why the item cannot be read; None where it can.
    """

    rules: tuple[str, ...]
    until: str | None
    reason: str | None
    place: Place
    wrong: str | None = None


def read_ignored(tree: Tree, node: Node) -> tuple[Ignored, ...]:
    """The items of the list ``node``. What is no list, or no item, is an item that says what is wrong."""
    if isinstance(node, SequenceNode):
        return tuple(read_item(tree, each) for each in node.value)
    if isinstance(node, ScalarNode) and is_null(node):
        return ()
    return (_wrong(tree, node, f"`ignore` is no list; {_EXPECTED}"),)


def read_item(tree: Tree, node: Node) -> Ignored:
    """One item of the list."""
    if not isinstance(node, MappingNode):
        return _wrong(tree, node, f"an item of `ignore` is no mapping; {_EXPECTED}")
    found: dict[str, Node] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, ScalarNode) else ""
        if name not in _KEYS:
            return _wrong(tree, key, f"unknown key {excerpt(str(name))!r} in `ignore`; {_EXPECTED}")
        found[name] = value
    texts = {}
    for name in ("until", "reason"):
        value = found.get(name)
        if value is not None and not isinstance(value, ScalarNode):
            return _wrong(tree, value, f"`{name}` is no text; {_EXPECTED}")
        texts[name] = None if value is None or is_null(value) else value.value.strip() or None
    rule = found.get("rule")
    rules = rule.value if isinstance(rule, SequenceNode) else [] if rule is None else [rule]
    ids = tuple(each.value.strip() for each in rules if isinstance(each, ScalarNode) and each.value.strip())
    if not ids or len(ids) != len(rules):
        return _wrong(tree, node, f"`rule` names no id; {_EXPECTED}")
    return Ignored(ids, texts["until"], texts["reason"], tree.place(node))


def _wrong(tree: Tree, node: Node, message: str) -> Ignored:
    return Ignored((), None, None, tree.place(node), message)
