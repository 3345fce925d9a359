"""The modules of a release: parsed once, names looked up through imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path


class Module:
    """One module. ``names`` maps a top-level name to the statements that define it, in order.

    ``stars``: (level, module) of every ``from … import *``.
    """

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name = name
        self.path = path
        self.tree = tree
        self.is_package = path.name == "__init__.py"
        self.names: dict[str, list[ast.stmt]] = {}
        self.stars: list[tuple[int, str | None]] = []
        for statement in _flat(tree.body):
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                self.stars.append((statement.level, statement.module))
            for defined in _defines(statement):
                self.names.setdefault(defined, []).append(statement)

    def absolute(self, level: int, module: str | None) -> str:
        """The full name of a relative import."""
        if level == 0:
            return module or ""
        parts = self.name.split(".")
        kept = parts[: len(parts) - level + (1 if self.is_package else 0)]
        return ".".join(kept + ([module] if module else []))


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, those inside ``if`` and ``try`` included.

    The last definition of a name counts, so what stands in the ``else`` of ``if TYPE_CHECKING`` wins, as at run time.
    """
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _flat(statement.body)
            yield from _flat(statement.orelse)
        elif isinstance(statement, ast.Try):
            yield from _flat(statement.body)
        else:
            yield statement


def _defines(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.ClassDef | ast.FunctionDef):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield target.id
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield alias.asname or alias.name.split(".")[0]


class Sources:
    """All modules below ``root``, the folder that holds the package."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        """The module called ``name``, or None where the release has none."""
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def _load(self, name: str) -> Module | None:
        base = self.root.joinpath(*name.split("."))
        for path in (base.with_name(base.name + ".py"), base / "__init__.py"):
            if path.is_file():
                return Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
        return None

    def texts(self) -> Iterator[str]:
        """The text of every module."""
        for path in sorted(self.root.rglob("*.py")):
            yield path.read_text(encoding="utf-8", errors="replace")
