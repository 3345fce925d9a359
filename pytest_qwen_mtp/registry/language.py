"""The condition language of registry entries: from plain YAML values to conditions.

A mapping holds when all its lines hold. A key is a setting's name or one of the derived names of ``facts.py``; a value
is a scalar (equal), a list (one of), a comparison (``">= 2"``, ``"< $max_num_seqs * ($k + 1)"``), or a mapping with
``given``, ``like``, ``known``. ``all``, ``any`` and ``not`` combine. ``written`` asks for an option as it stands on the
command line; ``unseen`` names what no file can show, and is always unknown. ``docs/registry.md`` shows it whole.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from pytest_qwen_mtp.engines.model import UNKNOWN
from pytest_qwen_mtp.registry.conditions import (
    AllOf,
    AnyOf,
    Condition,
    Not,
    Test,
    Unseen,
    Written,
    number,
    plain,
    show,
)
from pytest_qwen_mtp.registry.facts import Fact, Facts
from pytest_qwen_mtp.registry.ranges import at_least, parse_version


class ConditionError(ValueError):
    """A condition that cannot be read. ``path`` are the keys and indices that lead to it."""

    def __init__(self, message: str, path: tuple[str | int, ...]) -> None:
        super().__init__(message)
        self.path = path


def read_condition(data: Any, path: tuple[str | int, ...] = ("when",)) -> Condition:
    """The condition that ``data`` (plain YAML values) states. Raises ``ConditionError``."""
    if isinstance(data, list):
        return AllOf(tuple(read_condition(each, (*path, index)) for index, each in enumerate(data)))
    if not isinstance(data, Mapping):
        raise ConditionError(f"expected a mapping of conditions, found {data!r}", path)
    parts = tuple(_read_line(str(key), value, (*path, str(key))) for key, value in data.items())
    return parts[0] if len(parts) == 1 else AllOf(parts)


def _read_line(key: str, value: Any, path: tuple[str | int, ...]) -> Condition:
    if key == "all":
        return read_condition(value, path)
    if key in ("any", "not"):
        listed = value if isinstance(value, list) else [value]
        either = AnyOf(tuple(read_condition(each, (*path, index)) for index, each in enumerate(listed)))
        return either if key == "any" else Not(either.parts[0] if len(listed) == 1 else either)
    if key == "written":
        options = value if isinstance(value, list) else [value]
        if not all(isinstance(each, str) and each.startswith("-") for each in options):
            raise ConditionError(f"expected an option such as --enable-x, found {value!r}", path)
        return Written(tuple(options))
    if key == "unseen":
        if not isinstance(value, str):
            raise ConditionError(f"expected a sentence, found {value!r}", path)
        return Unseen(value)
    return _read_test(key, value, path)


_SHARED: dict[str, Test] = {}


def _read_test(name: str, value: Any, path: tuple[str | int, ...]) -> Condition:
    """The test of one line. Lines that say the same share one test, so that its answer is worked out once."""
    key = f"{name}: {value!r}"
    known = _SHARED.get(key)
    if known is None:
        read = _read_new_test(name, value, path)
        if not isinstance(read, Test):
            return read
        known = _SHARED[key] = read
    return known


def _read_new_test(name: str, value: Any, path: tuple[str | int, ...]) -> Condition:
    if isinstance(value, Mapping):
        parts = tuple(_read_special(name, key, each, (*path, str(key))) for key, each in value.items())
        if not parts:
            raise ConditionError("expected given or like, found an empty mapping", path)
        return parts[0] if len(parts) == 1 else AllOf(parts)
    if isinstance(value, list):
        if not value or any(isinstance(each, (list, Mapping)) for each in value):
            raise ConditionError(f"expected a list of plain values, found {value!r}", path)
        return _one_of(name, value)
    comparison = _COMPARISON.match(value) if isinstance(value, str) else None
    if comparison is None:
        return _one_of(name, [value])
    return _compare(name, comparison[1], comparison[2].strip(), path)


def _read_special(name: str, key: Any, value: Any, path: tuple[str | int, ...]) -> Test:
    if key == "given" and isinstance(value, bool):
        wanted = "given by the user" if value else "left to its default"
        return Test(name, wanted, lambda fact, facts: fact.given is value, of_value=False)
    if key == "like":
        patterns = [str(each).casefold() for each in (value if isinstance(value, list) else [value])]

        def like(fact: Fact, facts: Facts) -> bool:
            text = plain(fact.value)
            return any(fnmatchcase(text, each) for each in patterns)

        return Test(name, f"like {' or '.join(patterns)}", like)
    if key == "known":
        return _one_of(name, value if isinstance(value, list) else [value], unknown=False)
    message = f"expected given: true, given: false, like: PATTERN or known: VALUE, found {key}: {value!r}"
    raise ConditionError(message, path)


def _one_of(name: str, values: list[Any], unknown: bool | None = None) -> Test:
    """``unknown``: the answer where the value is not known."""
    wanted = frozenset(plain(each) for each in values)

    def one_of(fact: Fact, facts: Facts) -> bool | None:
        value = fact.value
        if value is UNKNOWN:
            return unknown
        return not wanted.isdisjoint(value) if isinstance(value, frozenset) else plain(value) in wanted

    return Test(name, " or ".join(show(each) for each in values), one_of, of_value=False)


_COMPARISON = re.compile(r"\s*(==|!=|<=|>=|<|>)(.+)")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _compare(name: str, sign: str, right: str, path: tuple[str | int, ...]) -> Test:
    if name == "version":
        return _compare_version(sign, right, path)
    value = _right_side(right, path)
    compare = _OPERATORS[sign]

    def holds(fact: Fact, facts: Facts) -> bool | None:
        if fact.value is None and sign not in ("==", "!="):
            return False  # What nobody set is not above or below anything, not even what is not known.
        other = value(facts)
        if other is UNKNOWN:
            return None
        left, other_number = number(fact.value), number(other)
        if left is not None and other_number is not None:
            return compare(left, other_number)
        if sign in ("==", "!="):
            return compare(plain(fact.value), plain(other))
        # A word such as "auto" cannot be put in order.
        return False if other is None else None

    return Test(name, f"{sign} {right.replace('$', '')}", holds)


def _compare_version(sign: str, right: str, path: tuple[str | int, ...]) -> Test:
    bound = parse_version(right)
    if bound is None or sign in ("==", "!="):
        raise ConditionError(f'expected a comparison with a version, such as ">= 0.28.0", found "{sign} {right}"', path)

    def holds(fact: Fact, facts: Facts) -> bool | None:
        version = parse_version(fact.value)
        if version is None:
            return None
        if sign in (">", "<="):
            above = version > bound
            return above if sign == ">" else not above
        reached = at_least(version, right, facts.subject.engine)
        return None if reached is None else reached is (sign == ">=")

    return Test("version", f"{sign} {right}", holds)


_NAME = re.compile(r"\$([A-Za-z_][\w.]*)")
_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _right_side(text: str, path: tuple[str | int, ...]) -> Callable[[Facts], Any]:
    """The value to compare with: a literal, or arithmetic over numbers and ``$names``."""
    if "$" not in text:
        literal: Any = text.strip("'\"")
        return lambda facts: literal
    names: list[str] = []

    def note(match: re.Match[str]) -> str:
        names.append(match[1])
        return f"v{len(names) - 1}"

    stray = re.search(r"[^\W\d]", _NAME.sub("", text))
    try:
        tree = None if stray else ast.parse(_NAME.sub(note, text), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None:
        raise ConditionError(f"expected arithmetic over numbers and $names, found {text!r}", path)

    def work_out(node: ast.expr, facts: Facts) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return facts.get(names[int(node.id[1:])]).value
        assert isinstance(node, ast.BinOp)
        sides = work_out(node.left, facts), work_out(node.right, facts)
        left, right = number(sides[0]), number(sides[1])
        if left is None or right is None:
            return None if None in sides else UNKNOWN
        try:
            return _ARITHMETIC[type(node.op)](left, right)
        except ZeroDivisionError:
            return UNKNOWN

    _check_arithmetic(tree, text, path)
    return lambda facts: work_out(tree, facts)


def _check_arithmetic(node: ast.expr, text: str, path: tuple[str | int, ...]) -> None:
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        _check_arithmetic(node.left, text, path)
        _check_arithmetic(node.right, text, path)
        return
    plain_number = isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
    if not plain_number and not (isinstance(node, ast.Name) and re.fullmatch(r"v\d+", node.id)):
        raise ConditionError(f"expected arithmetic over numbers and $names, found {text!r}", path)
