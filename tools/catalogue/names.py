"""Names and classes of a release's source: where a name leads, what a class declares."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from catalogue.source import Module, Sources
from catalogue.values import Call, Class, External, Function, Member, Unknown

HINTS = {"Literal", "Union", "Optional", "Annotated", "ClassVar", "List", "Dict", "Tuple", "Set", "A"}
DESCRIPTIONS = {"Field", "field", "Arg", "FieldInfo"}


class Names(ABC):
    """Looks names of ``sources`` up. ``natives`` replaces functions by name."""

    def __init__(self, sources: Sources, natives: Mapping[str, Callable[..., Any]] | None = None) -> None:
        self.sources = sources
        self.natives = dict(natives or {})
        self._globals: dict[tuple[str, str], Any] = {}

    @abstractmethod
    def evaluate(self, node: ast.expr, module: Module, scope: dict[str, Any]) -> Any:
        """The value of an expression."""

    @abstractmethod
    def call(self, function: Any, positional: list[Any], named: dict[str, Any], text: str) -> Any:
        """The value of a call that the source writes as ``text``."""

    @abstractmethod
    def add(self, left: Any, right: Any, operator: ast.operator, text: str) -> Any:
        """The value of ``left operator right``."""

    # ---- names -----------------------------------------------------------------------------------------------

    def name(self, module: Module, name: str) -> Any:
        """The value of a top-level ``name`` of ``module``."""
        key = (module.name, name)
        if key not in self._globals:
            self._globals[key] = Unknown(name)  # a name that needs itself
            self._globals[key] = self._define(module, name)
        return self._globals[key]

    def _define(self, module: Module, name: str) -> Any:
        statements = module.names.get(name)
        if not statements:
            offered = self._starred(module, name)
            return External(name) if offered is None else self.name(offered, name)
        value: Any = Unknown(name)
        for statement in statements:
            if isinstance(statement, ast.ClassDef):
                value = Class(module, statement)
            elif isinstance(statement, ast.FunctionDef):
                value = Function(module, statement)
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                if statement.value is not None:
                    value = self.evaluate(statement.value, module, {})
            elif isinstance(statement, ast.AugAssign):
                right = self.evaluate(statement.value, module, {})
                value = self.add(value, right, statement.op, name)
            elif isinstance(statement, ast.ImportFrom):
                value = self._imported(module, statement, name)
            elif isinstance(statement, ast.Import):
                alias = next(a for a in statement.names if (a.asname or a.name.split(".")[0]) == name)
                value = self.sources.module(alias.name) if alias.asname else self.sources.module(name)
                value = value or External(alias.name if alias.asname else name)
        return value

    def _imported(self, module: Module, statement: ast.ImportFrom, name: str) -> Any:
        alias = next((a for a in statement.names if (a.asname or a.name) == name), None)
        if alias is None:
            return Unknown(name)
        source = module.absolute(statement.level, statement.module)
        target = self.sources.module(source)
        if target is None:
            return External(f"{source}.{alias.name}" if alias.name not in HINTS | DESCRIPTIONS else alias.name)
        if alias.name in target.names or self._starred(target, alias.name) is not None:
            return self.name(target, alias.name)
        return self.sources.module(f"{source}.{alias.name}") or self._lazy(target, alias.name)

    def _starred(self, module: Module, name: str) -> Module | None:
        """The module that defines ``name``, among those that ``module`` imports everything of."""
        for level, source in module.stars:
            target = self.sources.module(module.absolute(level, source))
            if target is not None and target is not module:
                holder = target if name in target.names else self._starred(target, name)
                if holder is not None:
                    return holder
        return None

    def _lazy(self, module: Module, name: str) -> Any:
        """A name that a package offers through a table of lazy imports: found by its class in a submodule."""
        for statement in ast.walk(module.tree):
            if isinstance(statement, ast.Dict):
                for key, value in zip(statement.keys, statement.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == name and isinstance(value, ast.Constant):
                        target = self.sources.module(str(value.value).split(":")[0])
                        if target is not None and name in target.names:
                            return self.name(target, name)
        return External(f"{module.name}.{name}")

    # ---- classes ---------------------------------------------------------------------------------------------

    def bases(self, cls: Class) -> list[Class]:
        """``cls`` and its bases of the release, nearest first."""
        found = [cls]
        for base in cls.node.bases:
            value = self.evaluate(base, cls.module, {})
            if isinstance(value, Class):
                found += [each for each in self.bases(value) if each not in found]
        return found

    def is_enum(self, cls: Class) -> bool:
        return any("Enum" in ast.unparse(base) for each in self.bases(cls) for base in each.node.bases)

    def members(self, cls: Class) -> list[Member]:
        found = []
        for statement in cls.node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                if not name.startswith("_"):
                    found.append(Member(cls.name, name, self.evaluate(statement.value, cls.module, {})))
        return found

    def fields(self, cls: Class) -> dict[str, tuple[ast.expr, ast.expr | None, Class]]:
        """Annotated attributes: name → (hint, default or None, class that declares it); a subclass wins."""
        found: dict[str, tuple[ast.expr, ast.expr | None, Class]] = {}
        for each in reversed(self.bases(cls)):
            for statement in each.node.body:
                if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                    continue
                if "ClassVar" not in ast.unparse(statement.annotation):
                    found[statement.target.id] = (statement.annotation, statement.value, each)
        return found

    def hint(self, node: ast.expr, module: Module) -> Any:
        """A type hint; hints written as text are read too."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = ast.parse(node.value, mode="eval").body
        return self.evaluate(node, module, {})

    def default(self, cls: Class, name: str) -> Any:
        """The default of a field; ``...`` where it has none, Unknown where the source does not tell."""
        found = self.fields(cls).get(name)
        if found is None:
            return Unknown(f"{cls.name}.{name}")
        _, default, owner = found
        if default is None:
            return ...
        value = self.evaluate(default, owner.module, self.class_scope(owner))
        if isinstance(value, Call) and value.name in ("Field", "field"):
            if "default" in value.named:
                return value.named["default"]
            if "default_factory" in value.named:
                return self.call(value.named["default_factory"], [], {}, ast.unparse(default))
            return value.positional[0] if value.positional else ...
        return value

    def bounds(self, cls: Class, name: str) -> dict[str, int | float]:
        """``{"ge": 1}`` and the like of a field: what pydantic's ``Field`` at its hint or its default asks of it."""
        hint, default, owner = self.fields(cls)[name]
        found: dict[str, int | float] = {}
        for node in (hint, default):
            for call in ast.walk(node) if node is not None else ():
                if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == "Field":
                    for keyword in call.keywords:
                        if keyword.arg in ("gt", "ge", "lt", "le"):
                            value = self.evaluate(keyword.value, owner.module, self.class_scope(owner))
                            if isinstance(value, int | float):
                                found[keyword.arg] = value
        return found

    def wrapped(self, cls: Class) -> set[str]:
        """Fields with a validator around pydantic's own, which in these sources lets null through."""
        found: set[str] = set()
        for each in self.bases(cls):
            for node in each.node.body:
                for call in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                    if isinstance(call, ast.Call) and ast.unparse(call.func) == "field_validator" and _wraps(call):
                        found |= {str(name.value) for name in call.args if isinstance(name, ast.Constant)}
        return found

    def class_scope(self, cls: Class) -> dict[str, Any]:
        """The names that the body of ``cls`` gives a value, as its later lines see them."""
        scope: dict[str, Any] = {}
        for statement in cls.node.body:
            if isinstance(statement, ast.AnnAssign | ast.Assign) and isinstance(statement.value, ast.expr):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                if _is_plain(statement.value) and isinstance(targets[0], ast.Name):
                    scope[targets[0].id] = self.evaluate(statement.value, cls.module, scope)
        return scope


def _is_plain(value: ast.expr) -> bool:
    """Whether a value is made of constants and names alone."""
    return all(
        isinstance(each, ast.Constant | ast.Name | ast.Tuple | ast.List | ast.expr_context) for each in ast.walk(value)
    )


def _wraps(call: ast.Call) -> bool:
    return any(each.arg == "mode" and ast.unparse(each.value) == "'wrap'" for each in call.keywords)
