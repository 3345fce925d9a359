"""Shell arithmetic: integers, variables, assignments and comparisons, after bash's precedence."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|\d+#[0-9A-Za-z@_]+|\d+)|(?P<name>[A-Za-z_]\w*(?:\[[^\]]*\])?)"
    r"|(?P<operator>\*\*|<<=|>>=|[-+*/%&|^]=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%<>=!~&|^?:(),]))"
)
_BINARY: list[dict[str, Callable[[int, int], int]]] = [
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
    },
    {"<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63)},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: _divide(a, b), "%": lambda a, b: a - b * _divide(a, b)},
]
_ASSIGNING = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}


class NotComputable(Exception):
    """The expression is malformed, divides by zero, or needs a value that is not known."""


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise NotComputable("division by 0")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _number(text: str) -> int:
    if "#" in text:
        base, digits = text.split("#", 1)
        return int(digits, int(base))
    if text[:2].lower() == "0x":
        return int(text, 16)
    return int(text, 8) if len(text) > 1 and text[0] == "0" else int(text)


class _Evaluator:
    def __init__(self, text: str, read: Callable[[str], str], write: Callable[[str, int], None], depth: int) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.read, self.write, self.depth = read, write, depth
        position, stripped = 0, text.rstrip()
        while position < len(stripped):
            match = _TOKEN.match(stripped, position)
            if not match or match.lastgroup is None:
                raise NotComputable(f"cannot read {stripped[position : position + 20]!r}")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            position = match.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def next(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise NotComputable("the expression ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def comma(self) -> int:
        value = self.assignment()
        while self.peek() == ",":
            self.at += 1
            value = self.assignment()
        return value

    def assignment(self) -> int:
        following = self.tokens[self.at + 1][1] if self.at + 1 < len(self.tokens) else ""
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "name" and following in _ASSIGNING:
            name = self.next()[1]
            operator = self.next()[1]
            value = self.assignment()
            if operator != "=":
                table = next(row for row in _BINARY if operator[:-1] in row)
                value = table[operator[:-1]](self.variable(name), value)
            self.write(name, value)
            return value
        return self.ternary()

    def ternary(self) -> int:
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.at += 1
        yes = self.assignment()
        if self.next()[1] != ":":
            raise NotComputable("`:` is expected")
        no = self.assignment()
        return yes if condition else no

    def binary(self, level: int) -> int:
        if level == len(_BINARY):
            return self.power()
        value = self.binary(level + 1)
        while self.peek() in _BINARY[level]:
            operator = self.next()[1]
            value = _BINARY[level][operator](value, self.binary(level + 1))
        return value

    def power(self) -> int:
        base = self.unary()
        if self.peek() != "**":
            return base
        self.at += 1
        exponent = self.power()
        if not 0 <= exponent <= 64:
            raise NotComputable("the exponent is out of range")
        return int(base**exponent)

    def unary(self) -> int:
        kind, text = self.next()
        if text in ("++", "--"):
            name = self.next()[1]
            value = self.variable(name) + (1 if text == "++" else -1)
            self.write(name, value)
            return value
        if text == "-":
            return -self.unary()
        if text == "+":
            return self.unary()
        if text == "!":
            return int(not self.unary())
        if text == "~":
            return ~self.unary()
        if text == "(":
            self.depth += 1
            if self.depth > 40:
                raise NotComputable("parentheses stand too deep inside one another")
            value = self.comma()
            if self.next()[1] != ")":
                raise NotComputable("`)` is expected")
            return value
        if kind == "number":
            try:
                return _number(text)
            except ValueError:
                raise NotComputable(f"{text!r} is no number") from None
        if kind == "name":
            value = self.variable(text)
            if self.peek() in ("++", "--"):
                self.write(text, value + (1 if self.next()[1] == "++" else -1))
            return value
        raise NotComputable(f"{text!r} is not expected")

    def variable(self, name: str) -> int:
        text = self.read(name).strip()
        if not text:
            return 0
        if self.depth > 20:
            raise NotComputable("variables refer to one another without end")
        return evaluate(text, self.read, self.write, self.depth + 1)


def evaluate(text: str, read: Callable[[str], str], write: Callable[[str, int], None], depth: int = 0) -> int:
    """The value of the expression ``text``; empty is 0. ``read`` gives a variable's text, ``write`` sets one.

    Raises NotComputable; ``read`` may raise it, too, for a value that is not known.
    """
    evaluator = _Evaluator(text, read, write, depth)
    if not evaluator.tokens:
        return 0
    value = evaluator.comma()
    if evaluator.at < len(evaluator.tokens):
        raise NotComputable(f"{evaluator.peek()!r} is not expected")
    return (value + 2**63) % 2**64 - 2**63
