"""Composing nodes from events, for the documents that PyYAML's own composer refuses though YAML allows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from yaml import events
from yaml.composer import ComposerError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


def compose_events(stream: Iterable[events.Event], plain: str, quoted: str) -> Iterator[Node | None]:
    """The root node of each document. An anchor given twice means the later node from there on.

    Scalars without a tag get the tag ``plain`` or ``quoted`` by their style. Raises ``ComposerError`` for an alias
    without an anchor.
    """
    anchors: dict[str, Node] = {}
    stack: list[list[Node]] = []
    for event in stream:
        start: Any = event.start_mark  # either parser's marks, which have the same fields
        end: Any = event.end_mark
        if isinstance(event, events.DocumentStartEvent):
            anchors = {}
            stack = [[]]
        elif isinstance(event, events.DocumentEndEvent):
            yield stack[0][0] if stack[0] else None
        elif isinstance(event, events.AliasEvent):
            if event.anchor not in anchors:
                raise ComposerError(None, None, "found undefined alias", start)
            stack[-1].append(anchors[event.anchor])
        elif isinstance(event, events.ScalarEvent):
            tag = event.tag if event.tag not in (None, "!") else (plain if event.implicit[0] else quoted)
            scalar = ScalarNode(tag, event.value, start, end, style=event.style)
            stack[-1].append(scalar)
            if event.anchor is not None:
                anchors[event.anchor] = scalar
        elif isinstance(event, events.SequenceStartEvent | events.MappingStartEvent):
            kind, tag = (SequenceNode, "seq") if isinstance(event, events.SequenceStartEvent) else (MappingNode, "map")
            node = kind(event.tag or tag, [], start, end, event.flow_style)
            stack[-1].append(node)
            if event.anchor is not None:
                anchors[event.anchor] = node
            stack.append([])
        elif isinstance(event, events.CollectionEndEvent):
            children = stack.pop()
            parent = stack[-1][-1]
            parent.end_mark = end
            pairs = isinstance(parent, MappingNode)
            parent.value = list(zip(children[::2], children[1::2], strict=True)) if pairs else children
