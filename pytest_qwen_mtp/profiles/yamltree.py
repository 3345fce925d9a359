"""A YAML file as a graph of nodes that know where they stand, or one clear reason why it cannot be read."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.excerpt import excerpt
from pytest_qwen_mtp.profiles.model import Problem
from pytest_qwen_mtp.profiles.yamlevents import compose_events

SIZE_LIMIT = 2_000_000
"""Bytes. A larger file is refused before it is read."""
UNFOLD_LIMIT = 100_000
"""Nodes of one document with every alias unfolded; the limit that Compose has (compose-go 2.16, loader/reset.go)."""

PLAIN = ""
"""The tag of a scalar that stands plain, without a tag of its own: its meaning is still to be resolved."""
QUOTED = "str"
"""The tag of a scalar that is a string because of its style."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Unreadable(Exception):
    """The file cannot be used at all. ``problem`` says why, where, and what to do."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.place}: {problem.message}")
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Tree:
    """One YAML file: its text, the root node of each of its documents, and what is wrong with it short of unreadable.

    ``templates`` are the scalars that hold a ``$``. Nodes are shared where an alias stood, so a walk must remember
    what it has seen or stay inside what ``read_yaml`` has counted (at most ``UNFOLD_LIMIT`` nodes a document).
    """

    path: str
    text: str
    roots: tuple[Node, ...]
    templates: tuple[ScalarNode, ...] = ()
    problems: tuple[Problem, ...] = ()

    def place(self, node: Node) -> Place:
        """Where ``node`` begins."""
        mark = node.start_mark
        return Place(self.path, mark.line + 1, mark.column + 1)


def read_yaml(path: Path) -> Tree:
    """The documents of ``path``. Raises ``Unreadable``.

    Duplicate keys are a problem of the tree, not a reason to give up: Compose refuses the file, but the rest of it
    can still be told.
    """
    return parse_yaml(read_text(path), str(path))


_INSTEAD: ContextVar[Mapping[Path, str] | None] = ContextVar("instead", default=None)


@contextmanager
def reading_instead(texts: Mapping[Path, str]) -> Iterator[None]:
    """While it lasts, these files read as these texts: what a change makes of them is read before it is written."""
    token = _INSTEAD.set({path.resolve(): text for path, text in texts.items()})
    try:
        yield
    finally:
        _INSTEAD.reset(token)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, or UTF-16 with its mark, without the byte order mark. Raises ``Unreadable``."""
    name = str(path)
    instead = _INSTEAD.get()
    if instead is not None and path.resolve() in instead:
        return instead[path.resolve()]
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise _refuse("is-a-directory", name, "this is a folder, not a file", "Name a file inside it.")
        if not stat.S_ISREG(status.st_mode):
            raise _refuse("not-text", name, "this is no regular file but a device, pipe or socket")
        if status.st_size > SIZE_LIMIT:
            message = f"the file has {status.st_size:,} bytes; at most {SIZE_LIMIT:,} bytes are read"
            raise _refuse("too-large", name, message, "Split it, or move data that is no configuration out of it.")
        data = path.read_bytes()
    except OSError as error:
        message = f"the file cannot be read: {error.strerror or error}"
        raise _refuse("missing-file", name, message, "Check the path and its permissions.") from None
    except ValueError:  # an embedded NUL in the path
        raise _refuse("missing-file", name, "this is no possible path of a file") from None
    return _decode(data, name)


def parse_yaml(text: str, path: str) -> Tree:
    """The documents of ``text``. Raises ``Unreadable``; ``path`` only names it."""
    roots: tuple[Node | None, ...]
    try:
        try:
            roots = tuple(yaml.compose_all(text, Loader=_Loader))
        except yaml.composer.ComposerError as error:
            if error.context is None or "duplicate anchor" not in error.context:
                raise
            # PyYAML refuses to define an anchor twice, YAML and Compose do not.
            roots = tuple(compose_events(yaml.parse(text, Loader=_Loader), PLAIN, QUOTED))
    except yaml.YAMLError as error:
        raise Unreadable(_syntax_problem(error, text, path)) from None
    except RecursionError:
        raise _refuse("invalid-yaml", path, "the file nests deeper than it can be read") from None
    if all(_is_nothing(root) for root in roots):
        found = "it holds comments only" if text.strip() else "the file is empty"
        message = found if not text.strip() else f"the file is empty: {found}"
        raise _refuse("empty-file", path, message, "Write the services, or remove the file.")
    return _inspect(tuple(root for root in roots if root is not None), text, path)


_BaseLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_BaseLoader):  # type: ignore[misc]
    """Composes only, and leaves the meaning of plain scalars open: Compose reads them by other rules than PyYAML."""

    def resolve(self, kind: type[Node], value: str | None, implicit: Any) -> str:
        if kind is ScalarNode:
            return PLAIN if implicit[0] else QUOTED
        return "seq" if kind is SequenceNode else "map"

    def descend_resolver(self, current_node: Node, current_index: Any) -> None:
        """Nothing: there are no resolvers by path."""

    def ascend_resolver(self) -> None:
        """Nothing: there are no resolvers by path."""


def _refuse(kind: str, path: str, message: str, fix: str | None = None) -> Unreadable:
    return Unreadable(Problem(kind, Place(path), message, fix))


def _decode(data: bytes, path: str) -> str:
    if data[:2] in _UTF16:
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            raise _refuse("not-text", path, "the file begins like UTF-16 but is no text in it") from None
    if b"\0" in data:
        raise _refuse("not-text", path, "this is no text file: it holds NUL bytes", "Name a YAML file.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1 - (line == 1 and before.startswith("\ufeff"))
        message = f"byte 0x{data[error.start]:02x} is not valid UTF-8"
        problem = Problem("not-utf8", Place(path, line, column), message, "Save the file as UTF-8.")
        raise Unreadable(problem) from None
    return text.removeprefix("\ufeff")


def _syntax_problem(error: yaml.YAMLError, text: str, path: str) -> Problem:
    if isinstance(error, yaml.reader.ReaderError):
        return _bad_character(error, text, path)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    found = getattr(error, "problem", None) or getattr(error, "context", None) or "it cannot be parsed"
    if mark is None:
        return Problem("invalid-yaml", Place(path), f"the file is no valid YAML: {found}")
    line = _line(text, mark.line)
    indentation = line[: len(line) - len(line.lstrip(" \t"))]
    if "\t" in indentation:
        return Problem(
            "tab-in-indentation",
            Place(path, mark.line + 1, indentation.index("\t") + 1),
            "a tab stands where YAML allows only blanks",
            "Indent with blanks.",
        )
    start = getattr(error, "context_mark", None)
    context = getattr(error, "context", None)
    if context and start is not None and start.line != mark.line:
        context = f"{context} that begins at line {start.line + 1}"
    name = re.match(r"\*([^\s,\[\]{}]{1,80})", line[mark.column :])
    if name and "alias" in found:
        found = f"`*{name[1]}` refers to an anchor that is not defined above it"
    message = f"the file is no valid YAML: {found}" + (f" ({context})" if context else "")
    return Problem("invalid-yaml", Place(path, mark.line + 1, mark.column + 1), message, "Correct the line.")


def _bad_character(error: yaml.reader.ReaderError, text: str, path: str) -> Problem:
    # The C parser counts bytes here, the Python one characters; so the character is looked for instead.
    found = re.search("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    if found is None:
        return Problem("invalid-yaml", Place(path), f"the file is no valid YAML: {error.reason}")
    line = text.count("\n", 0, found.start()) + 1
    place = Place(path, line, found.start() - text.rfind("\n", 0, found.start()))
    message = f"the control character U+{ord(found[0]):04X} is not allowed in YAML"
    return Problem("invalid-yaml", place, message, "Remove it, or write it as an escape in double quotes.")


def _is_nothing(root: Node | None) -> bool:
    return root is None or (isinstance(root, ScalarNode) and root.tag == PLAIN and root.value in ("", "~", "null"))


def _line(text: str, number: int) -> str:
    lines = text.split("\n", number + 1)
    return lines[number] if number < len(lines) else ""


def _inspect(roots: tuple[Node, ...], text: str, path: str) -> Tree:
    """One pass over every node: keys given twice, scalars with a ``$``, and how far the aliases unfold."""
    problems: list[Problem] = []
    templates: list[ScalarNode] = []
    aliases = "*" in text and "&" in text
    for root in roots:
        if aliases:
            _measure(root, path)
        for node in _each(root):
            if isinstance(node, ScalarNode):
                if "$" in node.value:
                    templates.append(node)
            elif isinstance(node, MappingNode):
                keys = [key.value for key, _ in node.value if isinstance(key, ScalarNode)]
                if len(set(keys)) != len(keys):
                    problems.extend(_duplicates(node, path))
    problems.sort(key=lambda problem: (problem.place.line or 0, problem.place.column or 0))
    return Tree(path, text, roots, tuple(templates), tuple(problems))


def _each(root: Node) -> Iterator[Node]:
    """Every node below ``root`` once, mapping keys left out."""
    seen: set[int] = set()
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ScalarNode):
            yield node
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, MappingNode):
            pending.extend(value for _, value in node.value)
        else:
            pending.extend(node.value)


def _duplicates(node: MappingNode, path: str) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for key, _ in node.value:
        if not isinstance(key, ScalarNode):
            continue
        line = first.setdefault(key.value, key.start_mark.line)
        if line != key.start_mark.line or _again(node, key):
            yield Problem(
                "duplicate-key",
                Place(path, key.start_mark.line + 1, key.start_mark.column + 1),
                f"the key `{excerpt(key.value)}` is already given at line {line + 1}; Compose refuses the file",
                "Keep one of the two.",
            )


def _again(node: MappingNode, key: ScalarNode) -> bool:
    """Whether an earlier key of the same line has the same text."""
    for other, _ in node.value:
        if other is key:
            return False
        if isinstance(other, ScalarNode) and other.value == key.value:
            return True
    return False


def _measure(root: Node, path: str) -> None:
    """Raises ``Unreadable`` where a document unfolds beyond the limit or an alias stands inside its own anchor.

    Sizes are remembered per node, so an alias bomb costs no more than the text it is written in. Iterative, because
    a document may nest as deep as libyaml allows (1,000).
    """
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()
    pending: list[tuple[Node, bool]] = [(root, False)]
    while pending:
        node, finished = pending.pop()
        if isinstance(node, ScalarNode) or id(node) in sizes:
            continue
        children = [child for pair in node.value for child in pair] if isinstance(node, MappingNode) else node.value
        if finished:
            open_nodes.discard(id(node))
            size = 1
            for child in children:
                size += 1 if isinstance(child, ScalarNode) else sizes.get(id(child), 1)
            if size > UNFOLD_LIMIT:
                message = f"the references unfold to {_count(size)} nodes; the limit is {UNFOLD_LIMIT:,}"
                raise Unreadable(
                    Problem("alias-expansion", _place(node, path), message, "Write fewer aliases of aliases.")
                )
            sizes[id(node)] = size
            continue
        if id(node) in open_nodes:
            message = f"an alias inside this node refers to the node itself; it would unfold beyond {UNFOLD_LIMIT:,}"
            raise Unreadable(Problem("alias-expansion", _place(node, path), message, "Break the circle."))
        open_nodes.add(id(node))
        pending.append((node, True))
        for child in children:
            if not isinstance(child, ScalarNode):
                if id(child) in open_nodes:
                    pending.append((child, False))
                    break
                pending.append((child, False))


def _place(node: Node, path: str) -> Place:
    return Place(path, node.start_mark.line + 1, node.start_mark.column + 1)


def _count(size: int) -> str:
    return f"{size:,}" if size < 10**9 else f"more than {10**9:,}"
