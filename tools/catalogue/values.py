"""What an expression of a release's source can stand for while it is read."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from catalogue.source import Module


class UnknownShape(Exception):
    """The sources of a release are laid out in a way that the reader does not know; the message says where."""


@dataclass(frozen=True)
class Unknown:
    """A value that the source alone does not tell; ``expression`` is how the source writes it."""

    expression: str


@dataclass(frozen=True)
class External:
    """Something of another package, or a builtin: ``json.loads``, ``argparse.BooleanOptionalAction``, ``int``."""

    name: str


@dataclass(eq=False)
class Class:
    module: Module
    node: ast.ClassDef

    @property
    def name(self) -> str:
        return self.node.name


@dataclass(eq=False)
class Function:
    """A function, or a method with the class (or its ``cls``) it belongs to."""

    module: Module
    node: ast.FunctionDef | ast.Lambda
    owner: Class | None = None
    closure: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(frozen=True)
class Member:
    """A member of an enum."""

    enum: str
    name: str
    value: Any


@dataclass(frozen=True)
class Wrapped:
    """``optional_type(int)`` and the like: a converter made from another one."""

    by: str
    inner: Any


@dataclass(frozen=True)
class Hint:
    """A type hint with arguments: ``Literal['a', 'b']``, ``list[int]``, ``Union[int, None]``, ``Annotated[...]``."""

    kind: str
    arguments: tuple[Any, ...]


@dataclass
class Parser:
    """Stands for the argument parser and all its groups: collects what ``add_argument`` gets."""

    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)


@dataclass
class Call:
    """A call that makes a description: ``Field(default=1)``, ``Arg(help=…)``."""

    name: str
    positional: list[Any]
    named: dict[str, Any]
