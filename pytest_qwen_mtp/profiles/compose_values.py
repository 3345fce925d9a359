"""Values of Compose files: YAML nodes together with the file they stand in, read only as far as somebody asks.

A value that comes from another file keeps that file's folder and variables, whatever it is merged into.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.compose_scope import Scope
from pytest_qwen_mtp.profiles.compose_session import Session
from pytest_qwen_mtp.profiles.interpolation import interpolate
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.scalars import BINARY, is_string, printed, value_of
from pytest_qwen_mtp.profiles.text import SourceText
from pytest_qwen_mtp.profiles.yamltext import scalar_text
from pytest_qwen_mtp.profiles.yamltree import PLAIN, Tree

RESET, OVERRIDE = "!reset", "!override"
_DRIVE = re.compile(r"[a-zA-Z]:[\\/]")
_MERGE_TAGS = (PLAIN, "tag:yaml.org,2002:merge")


class Origin:
    """One file as it is read: its tree, the variables that hold in it, and the folder its paths are relative to.

    ``project`` is the folder of the project it is read for, which is another one for a file that is only extended.
    """

    __slots__ = ("_texts", "folder", "project", "scope", "session", "tree")

    def __init__(self, tree: Tree, scope: Scope, folder: Path, project: Path, session: Session) -> None:
        self.tree = tree
        self.scope = scope
        self.folder = folder
        self.project = project
        self.session = session
        self._texts: dict[int, SourceText] = {}

    def text(self, node: ScalarNode) -> SourceText:
        """The scalar as Compose would print it, interpolated where it is a string."""
        done = self._texts.get(id(node))
        if done is None:
            if is_string(node) and node.tag != BINARY:
                done = scalar_text(self.tree, node)
                if "$" in node.value and self.session.may_grow(self.tree.place(node)):
                    result = interpolate(done, self.scope.lookup)
                    self.session.problems.extend(result.problems)
                    self.session.variables.extend(result.variables)
                    self.session.grown += max(len(result.text.text) - len(done.text), 0)
                    done = result.text
            else:
                done = SourceText.at(printed(value_of(node)), self.tree.place(node))
            self._texts[id(node)] = done
        return done

    def interpolate_rest(self) -> None:
        """Interpolates what nobody asked for: Compose does it too, and refuses the file where it cannot."""
        for node in self.tree.templates:
            self.text(node)

    def path(self, text: str) -> Path | None:
        """``text`` as a path of this machine, from this file's folder. None for a home that is not known."""
        if _DRIVE.match(text):
            return Path(text)
        if text.startswith("~"):
            home = self.scope.lookup("HOME")
            if home is None:
                return None
            text = os.path.join(home.text, text[1:].lstrip("/"))
        return Path(os.path.abspath(os.path.join(self.folder, text)))


class Scalar:
    """A scalar of a file."""

    __slots__ = ("node", "origin")

    def __init__(self, node: ScalarNode, origin: Origin) -> None:
        self.node = node
        self.origin = origin

    @property
    def place(self) -> Place:
        return self.origin.tree.place(self.node)

    @property
    def null(self) -> bool:
        return value_of(self.node) is None

    @property
    def string(self) -> bool:
        return is_string(self.node)

    def text(self) -> SourceText:
        return self.origin.text(self.node)

    def word(self) -> Word:
        text = self.origin.text(self.node)
        if not text.text:
            return word_of(text, self.place)
        anchor = text.anchors[0]
        place = Place(anchor.path or text.path, anchor.line, anchor.column)
        return Word(text.text, place, text.references() if text.uses else (), text)


class Sequence:
    """A list of a file, or of several that were merged."""

    __slots__ = ("_items", "node", "origin")

    def __init__(self, node: Node, origin: Origin, items: list[Value] | None = None) -> None:
        self.node = node
        self.origin = origin
        self._items = items

    @property
    def place(self) -> Place:
        return self.origin.tree.place(self.node)

    @property
    def items(self) -> list[Value]:
        if self._items is None:
            self._items = [wrap(node, self.origin) for node in self.node.value if node.tag != RESET]
        return self._items


class Entry:
    """One key of a mapping, with the file it stands in, and its value."""

    __slots__ = ("key", "origin", "value")

    def __init__(self, key: Node, origin: Origin, value: Value) -> None:
        self.key = key
        self.origin = origin
        self.value = value

    @property
    def place(self) -> Place:
        return self.origin.tree.place(self.key)

    def with_value(self, value: Value) -> Entry:
        """The same key with another value."""
        return Entry(self.key, self.origin, value)


class Pair:
    """``KEY: value`` of a mapping that was turned into a list of ``KEY=value``."""

    __slots__ = ("key", "place", "value")

    def __init__(self, key: str, entry: Entry) -> None:
        self.key = key
        self.place = entry.place
        self.value = entry.value


class Mapping:
    """A mapping of a file with its ``<<`` merged in, or the result of merging several.

    ``replaced`` are the keys tagged ``!reset`` or ``!override``: they take away what an earlier file gave.
    """

    __slots__ = ("_entries", "_replaced", "node", "origin")

    def __init__(self, node: Node, origin: Origin, entries: dict[str, Entry] | None = None) -> None:
        self.node = node
        self.origin = origin
        self._entries = entries
        self._replaced: set[str] = set()

    @property
    def place(self) -> Place:
        return self.origin.tree.place(self.node)

    @property
    def entries(self) -> dict[str, Entry]:
        if self._entries is None:
            self._entries = self._read()
        return self._entries

    @property
    def replaced(self) -> set[str]:
        if self._entries is None:
            self._entries = self._read()
        return self._replaced

    def get(self, key: str) -> Value | None:
        """The value of ``key``; None where it is missing."""
        entry = self.entries.get(key)
        return None if entry is None else entry.value

    def _read(self) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        merges: list[Node] = []
        origin = self.origin
        tree = origin.tree
        for key, value in self.node.value:
            if not isinstance(key, ScalarNode):
                origin.session.refuse(tree.place(key), "a list or mapping stands where a key is expected")
                continue
            name = key.value
            if name == "<<" and key.tag in _MERGE_TAGS:
                merges.append(value)
                continue
            if key.tag == PLAIN and not is_string(key):
                origin.session.refuse(tree.place(key), f"the key `{name}` is no string", "Put it into quotes.")
            if value.tag in (RESET, OVERRIDE):
                self._replaced.add(name)
                if value.tag == RESET:
                    continue
            entries[name] = Entry(key, origin, wrap(value, origin))
        for merge in merges:
            self._merge(merge, entries)
        return entries

    def _merge(self, node: Node, entries: dict[str, Entry]) -> None:
        """Adds the keys of a ``<<`` that are not given already; of several mappings the first one wins."""
        for source in node.value if isinstance(node, SequenceNode) else [node]:
            if not isinstance(source, MappingNode):
                message = "`<<` takes a mapping, or a list of mappings"
                self.origin.session.refuse(self.origin.tree.place(source), message)
                continue
            other = Mapping(source, self.origin)
            for name, entry in other.entries.items():
                entries.setdefault(name, entry)
            self._replaced |= other.replaced


Value = Scalar | Sequence | Mapping | Pair


def wrap(node: Node, origin: Origin) -> Value:
    """The value of a node."""
    if isinstance(node, ScalarNode):
        return Scalar(node, origin)
    return Mapping(node, origin) if isinstance(node, MappingNode) else Sequence(node, origin)


def is_null(value: Value | None) -> bool:
    """Whether there is no value, or YAML's null."""
    return value is None or (isinstance(value, Scalar) and value.null)


def word_of(text: SourceText, place: Place) -> Word:
    """A word of the whole ``text``; ``place`` is where it stands when it is empty."""
    return Word(text.text, text.place(0) if text.text else place, text.references() if text.uses else (), text)


def plain(value: Value, depth: int = 0) -> Any:
    """The value as plain data, interpolated. What nests deeper than 50 is None."""
    if depth > 50:
        return None
    if isinstance(value, Scalar):
        return value.text().text if value.string else value_of(value.node)
    if isinstance(value, Sequence):
        return [plain(item, depth + 1) for item in value.items]
    if isinstance(value, Mapping):
        return {key: plain(entry.value, depth + 1) for key, entry in value.entries.items()}
    return {value.key: plain(value.value, depth + 1)}
