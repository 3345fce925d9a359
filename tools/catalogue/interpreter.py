"""Reads Python source as if it ran, as far as a declaration of options needs it.

Values that the source does not tell become :class:`Unknown` and go on as such. A test that is unknown, because it asks
the environment, counts as not met. Platform facts are those of an NVIDIA GPU, where nearly all deployments run.
"""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from catalogue.names import DESCRIPTIONS, HINTS, Names
from catalogue.source import Module, Sources
from catalogue.values import Call, Class, External, Function, Hint, Member, Parser, Unknown, Wrapped

_DEPTH = 40
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.BitOr: operator.or_,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b,
    ast.IsNot: lambda a, b: a is not b,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
}
_BUILTINS = {"int", "str", "float", "bool", "dict", "list", "tuple", "set", "frozenset", "bytes", "object", "type"}
_PLATFORM = {"current_platform.device_type": "cuda", "sys.argv": [], "ssl.CERT_NONE": 0}
_SCALARS = (str, int, float, bool, type(None))


class Return(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Interpreter(Names):
    """Evaluates expressions and runs functions of ``sources``. ``natives`` replaces functions by name."""

    def __init__(self, sources: Sources, natives: Mapping[str, Callable[..., Any]] | None = None) -> None:
        super().__init__(sources, natives)
        self._depth = 0

    def add(self, left: Any, right: Any, operator: ast.operator, text: str) -> Any:
        return self._apply(_OPERATORS.get(type(operator)), left, right, text)

    # ---- expressions -----------------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr, module: Module, scope: dict[str, Any]) -> Any:
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        return Unknown(ast.unparse(node)) if method is None else method(node, module, scope)

    def _constant(self, node: ast.Constant, module: Module, scope: dict[str, Any]) -> Any:
        return node.value

    def _name(self, node: ast.Name, module: Module, scope: dict[str, Any]) -> Any:
        if node.id in scope:
            return scope[node.id]
        return self.name(module, node.id)

    def _attribute(self, node: ast.Attribute, module: Module, scope: dict[str, Any]) -> Any:
        text = ast.unparse(node)
        if text in _PLATFORM:
            return _PLATFORM[text]
        return self.attribute(self.evaluate(node.value, module, scope), node.attr, text)

    def attribute(self, value: Any, name: str, text: str) -> Any:
        """``value.name``, ``text`` being how the source writes it."""
        if isinstance(value, Module):
            return (
                self.name(value, name)
                if name in value.names
                else self.sources.module(f"{value.name}.{name}") or Unknown(text)
            )
        if isinstance(value, Class):
            return self._class_attribute(value, name, text)
        if isinstance(value, Member) and name in ("value", "name"):
            return value.value if name == "value" else value.name
        if isinstance(value, External):
            return External(f"{value.name}.{name}")
        return Unknown(text)

    def _class_attribute(self, cls: Class, name: str, text: str) -> Any:
        if self.is_enum(cls):
            return next((each for each in self.members(cls) if each.name == name), Unknown(text))
        for each in self.bases(cls):
            for statement in each.node.body:
                if isinstance(statement, ast.FunctionDef) and statement.name == name:
                    return Function(each.module, statement, cls)
                if isinstance(statement, ast.Assign) and any(ast.unparse(t) == name for t in statement.targets):
                    return self.evaluate(statement.value, each.module, self.class_scope(each))
        default = self.default(cls, name)
        return Unknown(text) if default is ... else default

    def _subscript(self, node: ast.Subscript, module: Module, scope: dict[str, Any]) -> Any:
        value = self.evaluate(node.value, module, scope)
        name = value.name.split(".")[-1] if isinstance(value, External) else None
        if name is not None and (name in HINTS or name in _BUILTINS or name[:1].isupper()):
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            # Only the first part of an Annotated is a hint; the rest, and the values of a Literal, are plain values.
            hints = {"Literal": 0, "Annotated": 1, "A": 1}.get(name, len(inner))
            arguments = tuple(
                self.hint(each, module) if index < hints else self.evaluate(each, module, scope)
                for index, each in enumerate(inner)
            )
            if name == "Optional":
                return Hint("Union", (*arguments, None))
            return Hint(
                {"A": "Annotated"}.get(name, name if name in ("Literal", "Union", "Annotated") else name.lower()),
                arguments,
            )
        index: Any
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            index = slice(*(None if each is None else self.evaluate(each, module, scope) for each in bounds))
        else:
            index = self.evaluate(node.slice, module, scope)
        try:
            return value[index]
        except (TypeError, KeyError, IndexError):
            return Unknown(ast.unparse(node))

    def _binop(self, node: ast.BinOp, module: Module, scope: dict[str, Any]) -> Any:
        left, right = self.evaluate(node.left, module, scope), self.evaluate(node.right, module, scope)
        if isinstance(node.op, ast.BitOr) and not (
            isinstance(left, set | dict | int) and left is not None and not isinstance(left, bool)
        ):
            return Hint("Union", (left, right))
        return self._apply(_OPERATORS.get(type(node.op)), left, right, ast.unparse(node))

    def _apply(self, function: Callable[..., Any] | None, left: Any, right: Any, text: str) -> Any:
        if function is None or isinstance(left, Unknown) or isinstance(right, Unknown):
            return Unknown(text)
        try:
            return function(left, right)
        except (TypeError, ValueError, ZeroDivisionError):
            return Unknown(text)

    def _boolop(self, node: ast.BoolOp, module: Module, scope: dict[str, Any]) -> Any:
        is_and = isinstance(node.op, ast.And)
        for each in node.values:
            value = self.evaluate(each, module, scope)
            if isinstance(value, Unknown | External):
                return Unknown(ast.unparse(node))
            if bool(value) != is_and:
                return value
        return value

    def _unaryop(self, node: ast.UnaryOp, module: Module, scope: dict[str, Any]) -> Any:
        value = self.evaluate(node.operand, module, scope)
        if isinstance(value, Unknown | External):
            return Unknown(ast.unparse(node))
        return (
            -value
            if isinstance(node.op, ast.USub)
            else not value
            if isinstance(node.op, ast.Not)
            else Unknown(ast.unparse(node))
        )

    def _compare(self, node: ast.Compare, module: Module, scope: dict[str, Any]) -> Any:
        left, right = self.evaluate(node.left, module, scope), self.evaluate(node.comparators[0], module, scope)
        if len(node.ops) > 1 or isinstance(left, Unknown | External) or isinstance(right, Unknown | External):
            return Unknown(ast.unparse(node))
        return self._apply(_COMPARE.get(type(node.ops[0])), left, right, ast.unparse(node))

    def _ifexp(self, node: ast.IfExp, module: Module, scope: dict[str, Any]) -> Any:
        test = self.evaluate(node.test, module, scope)
        if isinstance(test, Unknown | External):
            return Unknown(ast.unparse(node))
        return self.evaluate(node.body if test else node.orelse, module, scope)

    def _elements(self, nodes: Sequence[ast.expr], module: Module, scope: dict[str, Any]) -> list[Any]:
        found: list[Any] = []
        for each in nodes:
            if isinstance(each, ast.Starred):
                value = self.evaluate(each.value, module, scope)
                found += list(value) if isinstance(value, list | tuple | set) else [Unknown(ast.unparse(each))]
            else:
                found.append(self.evaluate(each, module, scope))
        return found

    def _list(self, node: ast.List, module: Module, scope: dict[str, Any]) -> Any:
        return self._elements(node.elts, module, scope)

    def _tuple(self, node: ast.Tuple, module: Module, scope: dict[str, Any]) -> Any:
        return tuple(self._elements(node.elts, module, scope))

    def _set(self, node: ast.Set, module: Module, scope: dict[str, Any]) -> Any:
        elements = self._elements(node.elts, module, scope)
        return set(elements) if all(isinstance(each, _SCALARS) for each in elements) else elements

    def _dict(self, node: ast.Dict, module: Module, scope: dict[str, Any]) -> Any:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            inner = self.evaluate(value, module, scope)
            if key is None:
                found.update(inner if isinstance(inner, dict) else {})
                continue
            name = self.evaluate(key, module, scope)
            found[name if isinstance(name, _SCALARS) else ast.unparse(key)] = inner
        return found

    def _joinedstr(self, node: ast.JoinedStr, module: Module, scope: dict[str, Any]) -> Any:
        parts = [
            self.evaluate(each.value if isinstance(each, ast.FormattedValue) else each, module, scope)
            for each in node.values
        ]
        return (
            "".join(map(str, parts))
            if all(isinstance(each, _SCALARS) for each in parts)
            else Unknown(ast.unparse(node))
        )

    def _lambda(self, node: ast.Lambda, module: Module, scope: dict[str, Any]) -> Any:
        return Function(module, node, None, dict(scope))

    def _listcomp(self, node: ast.ListComp, module: Module, scope: dict[str, Any]) -> Any:
        return self._comprehension(node.elt, node.generators, module, scope, ast.unparse(node))

    _generatorexp = _listcomp

    def _setcomp(self, node: ast.SetComp, module: Module, scope: dict[str, Any]) -> Any:
        found = self._comprehension(node.elt, node.generators, module, scope, ast.unparse(node))
        return set(found) if isinstance(found, list) and all(isinstance(each, _SCALARS) for each in found) else found

    def _comprehension(
        self, element: ast.expr, generators: list[ast.comprehension], module: Module, scope: dict[str, Any], text: str
    ) -> Any:
        iterable = self.iterate(self.evaluate(generators[0].iter, module, scope))
        if len(generators) != 1 or iterable is None:
            return Unknown(text)
        found = []
        for each in iterable:
            inner = dict(scope)
            self._bind(generators[0].target, each, inner)
            tests = [self.evaluate(test, module, inner) for test in generators[0].ifs]
            if all(isinstance(test, Unknown) or test for test in tests):
                found.append(self.evaluate(element, module, inner))
        return found

    def iterate(self, value: Any) -> list[Any] | None:
        if isinstance(value, Class) and self.is_enum(value):
            return list(self.members(value))
        if isinstance(value, list | tuple | dict):
            return list(value)
        return sorted(value, key=str) if isinstance(value, set | frozenset) else None

    def _call(self, node: ast.Call, module: Module, scope: dict[str, Any]) -> Any:
        positional = self._elements(node.args, module, scope)
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, module, scope)
            if keyword.arg is None:
                named.update(value if isinstance(value, dict) else {})
            else:
                named[keyword.arg] = value
        text = ast.unparse(node)
        if isinstance(node.func, ast.Attribute):
            if ast.unparse(node.func.value) == "super()":
                function = self._super(node.func.attr, scope)
                return self.call(function, positional, named, text)
            receiver = self.evaluate(node.func.value, module, scope)
            done, result = self._method(receiver, node.func.attr, positional, named)
            if done:
                return result
            function = self.attribute(receiver, node.func.attr, ast.unparse(node.func))
        else:
            function = self.evaluate(node.func, module, scope)
        return self.call(function, positional, named, text)

    def _super(self, name: str, scope: dict[str, Any]) -> Any:
        cls, owner = scope.get("cls"), scope.get("__class__")
        if isinstance(cls, Class) and isinstance(owner, Class):
            bases = self.bases(cls)
            after = bases[bases.index(owner) + 1 :] if owner in bases else []
            for each in after:
                for statement in each.node.body:
                    if isinstance(statement, ast.FunctionDef) and statement.name == name:
                        return Function(each.module, statement, cls, {"__class__": each})
        return Unknown(f"super().{name}")

    def _method(self, receiver: Any, name: str, positional: list[Any], named: dict[str, Any]) -> tuple[bool, Any]:
        """Methods of plain values and of the parser: (whether it was one, its result)."""
        if isinstance(receiver, Parser):
            if name == "add_argument":
                receiver.calls.append((tuple(positional), named))
                return True, None
            if name in ("add_argument_group", "add_mutually_exclusive_group", "add_parser"):
                return True, receiver
            return True, Unknown(name)
        if isinstance(receiver, str | list | dict | set | frozenset) and hasattr(receiver, name):
            try:
                result = getattr(receiver, name)(*positional, **named)
            except (TypeError, ValueError, KeyError):
                return True, Unknown(name)
            return True, list(result) if name in ("keys", "values", "items") else result
        return False, None

    def call(self, function: Any, positional: list[Any], named: dict[str, Any], text: str) -> Any:
        """Calls a function of the release, a native stand-in, or one of the few builtins that declarations use."""
        if isinstance(function, Function):
            if function.name in self.natives:
                return self.natives[function.name](*positional, **named)
            return self.run(function, positional, named, text)
        if isinstance(function, Class):
            return Call(function.name, positional, named)
        if isinstance(function, External):
            short = function.name.split(".")[-1]
            if short in DESCRIPTIONS:
                return Call(short, positional, named)
            if short in self.natives:
                return self.natives[short](*positional, **named)
            return self._builtin(short, positional, named, text)
        return Unknown(text)

    def _builtin(self, name: str, positional: list[Any], named: dict[str, Any], text: str) -> Any:
        if name in ("optional_type", "parse_type"):
            return Wrapped(name, positional[0])
        if name == "get_args" and positional and isinstance(positional[0], Hint):
            return tuple(positional[0].arguments)
        if name == "deepcopy" and positional:
            return positional[0]
        if name == "cast" and len(positional) == 2:
            return positional[1]
        if name in ("list", "sorted", "tuple", "set", "frozenset"):
            items = self.iterate(positional[0]) if positional else []
            if items is None:
                return Unknown(text)
            if name in ("set", "frozenset"):
                return set(items) if all(isinstance(each, _SCALARS) for each in items) else items
            return tuple(items) if name == "tuple" else sorted(items, key=str) if name == "sorted" else items
        if name == "permutations" and positional and isinstance(positional[0], list | tuple):
            length = named.get("r", positional[1] if len(positional) > 1 else None)
            return list(itertools.permutations(positional[0], length))
        if name == "dict" and not positional:
            return dict(named)
        if name in ("int", "str", "float", "bool") and len(positional) == 1 and isinstance(positional[0], _SCALARS):
            return {"int": int, "str": str, "float": float, "bool": bool}[name](positional[0])
        if name in ("len", "max", "min") and positional and isinstance(positional[0], list | tuple | dict | set):
            measure: dict[str, Callable[[Any], Any]] = {"len": len, "max": max, "min": min}
            return measure[name](positional[0])
        return Unknown(text)

    # ---- statements ------------------------------------------------------------------------------------------

    def run(self, function: Function, positional: list[Any], named: dict[str, Any], text: str) -> Any:
        """The value that ``function`` returns; Unknown where it is too deep."""
        if self._depth >= _DEPTH:
            return Unknown(text)
        scope = dict(function.closure)
        arguments = function.node.args
        names = [each.arg for each in arguments.posonlyargs + arguments.args]
        decorators = (
            [] if isinstance(function.node, ast.Lambda) else [ast.unparse(d) for d in function.node.decorator_list]
        )
        given = list(positional)
        if function.owner is not None and "staticmethod" not in decorators and names:
            given.insert(0, function.owner)
            scope.setdefault("__class__", self._declaring(function))
        for name, default in zip(names[::-1], arguments.defaults[::-1], strict=False):
            scope[name] = self.evaluate(default, function.module, {})
        for argument, given_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            scope[argument.arg] = (
                Unknown(argument.arg) if given_default is None else self.evaluate(given_default, function.module, {})
            )
        scope.update(zip(names, given, strict=False))
        scope.update(named)
        if isinstance(function.node, ast.Lambda):
            return self.evaluate(function.node.body, function.module, scope)
        self._depth += 1
        try:
            self.execute(function.node.body, function.module, scope)
        except Return as done:
            return done.value
        finally:
            self._depth -= 1
        return None

    def _declaring(self, function: Function) -> Class | None:
        for each in self.bases(function.owner) if function.owner else []:
            if function.node in each.node.body:
                return each
        return function.owner

    def execute(self, body: Sequence[ast.stmt], module: Module, scope: dict[str, Any]) -> None:
        for statement in body:
            self._execute(statement, module, scope)

    def _execute(self, statement: ast.stmt, module: Module, scope: dict[str, Any]) -> None:
        if isinstance(statement, ast.Expr):
            self.evaluate(statement.value, module, scope)
        elif isinstance(statement, ast.Assign):
            value = self.evaluate(statement.value, module, scope)
            for target in statement.targets:
                self._assign(target, value, module, scope)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, self.evaluate(statement.value, module, scope), module, scope)
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name | ast.Subscript):
            left, right = self.evaluate(statement.target, module, scope), self.evaluate(statement.value, module, scope)
            value = self._apply(_OPERATORS.get(type(statement.op)), left, right, ast.unparse(statement))
            self._assign(statement.target, value, module, scope)
        elif isinstance(statement, ast.Return):
            raise Return(None if statement.value is None else self.evaluate(statement.value, module, scope))
        elif isinstance(statement, ast.If):
            self._branch(statement, module, scope)
        elif isinstance(statement, ast.For):
            for each in self.iterate(self.evaluate(statement.iter, module, scope)) or []:
                self._bind(statement.target, each, scope)
                self.execute(statement.body, module, scope)
        elif isinstance(statement, ast.With | ast.Try):
            self.execute(statement.body, module, scope)
        elif isinstance(statement, ast.Delete):
            for target in statement.targets:
                if isinstance(target, ast.Subscript):
                    holder = self.evaluate(target.value, module, scope)
                    if isinstance(holder, dict):
                        holder.pop(self.evaluate(target.slice, module, scope), None)
        elif isinstance(statement, ast.FunctionDef):
            scope[statement.name] = Function(module, statement, None, scope)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                scope[alias.asname or alias.name] = self._imported(module, statement, alias.asname or alias.name)

    def _branch(self, statement: ast.If, module: Module, scope: dict[str, Any]) -> None:
        test = self.evaluate(statement.test, module, scope)
        if isinstance(test, Unknown | External):
            self.execute(statement.orelse, module, scope)
        else:
            self.execute(statement.body if test else statement.orelse, module, scope)

    def _assign(self, target: ast.expr, value: Any, module: Module, scope: dict[str, Any]) -> None:
        if isinstance(target, ast.Subscript):
            holder = self.evaluate(target.value, module, scope)
            if isinstance(holder, dict):
                holder[self.evaluate(target.slice, module, scope)] = value
        else:
            self._bind(target, value, scope)

    def _bind(self, target: ast.expr, value: Any, scope: dict[str, Any]) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple | list) and len(value) == len(target.elts):
            for each, inner in zip(target.elts, value, strict=True):
                self._bind(each, inner, scope)
