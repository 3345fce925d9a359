"""``[ … ]``, ``[[ … ]]`` and ``(( … ))``: yes, no, or not to be known from the files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell import expand
from pytest_qwen_mtp.profiles.shell.arithmetic import NotComputable
from pytest_qwen_mtp.profiles.shell.branches import OTHER
from pytest_qwen_mtp.profiles.shell.syntax import ShellWord, Test
from pytest_qwen_mtp.profiles.shell.values import Value, Variable

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.state import State

NUMERIC = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
_FILE_TESTS = set("abcdefgGhkLOpNrsStuwx")
_REPEATED = re.compile(r"[+*}]\)*[+*{]|\)[+*{]")
"""A repetition inside a repetition: Python's matching could take for ever."""
_WORDS = {"-n": "is not empty", "-z": "is empty"}


def conditional(shell: State, test: Test) -> bool | None:
    """The verdict of a ``[[ … ]]``; None where it cannot be known."""
    if test.operator == "!":
        inner = conditional(shell, _test(test.operands[0]))
        return None if inner is None else not inner
    if test.operator in ("&&", "||"):
        first = conditional(shell, _test(test.operands[0]))
        if first is (test.operator == "||"):
            return first
        second = conditional(shell, _test(test.operands[1]))
        if second is (test.operator == "||"):
            return second
        return None if first is None or second is None else second
    words = [operand for operand in test.operands if isinstance(operand, ShellWord)]
    if test.operator == "":
        return unary(shell, "-n", expand.text(shell, words[0]))
    if len(words) == 1:
        return unary(shell, test.operator, expand.text(shell, words[0]))
    left = expand.text(shell, words[0])
    if test.operator in ("=", "==", "!=", "=~"):
        runs, right = expand.pattern(shell, words[1])
        return matches(shell, test.operator, left, runs, right)
    return binary(shell, left, test.operator, expand.text(shell, words[1]), integers_are_expressions=True)


def _test(operand: Test | ShellWord) -> Test:
    assert isinstance(operand, Test)
    return operand


def classic(shell: State, words: Sequence[Value]) -> bool | None:
    """The verdict of ``[`` or ``test`` on its fields (without the closing bracket)."""
    return _Classic(shell, words).verdict()


class _Classic:
    """POSIX rules by the number of fields, with ``-a``, ``-o``, ``!`` and parentheses beyond four."""

    def __init__(self, shell: State, words: Sequence[Value]) -> None:
        self.shell, self.words, self.at = shell, list(words), 0

    def verdict(self) -> bool | None:
        if not self.words:
            return False
        return self._or()

    def _peek(self, ahead: int = 0) -> str | None:
        return self.words[self.at + ahead].text if self.at + ahead < len(self.words) else None

    def _or(self) -> bool | None:
        left = self._and()
        while self._peek() == "-o":
            self.at += 1
            right = self._and()
            left = True if left or right else (None if left is None or right is None else False)
        return left

    def _and(self) -> bool | None:
        left = self._not()
        while self._peek() == "-a":
            self.at += 1
            right = self._not()
            left = False if left is False or right is False else (None if left is None or right is None else True)
        return left

    def _not(self) -> bool | None:
        if self._peek() == "!" and self.at + 1 < len(self.words):
            self.at += 1
            inner = self._not()
            return None if inner is None else not inner
        if self._peek() == "(" and self._peek(2) is not None:
            self.at += 1
            inner = self._or()
            self.at += 1
            return inner
        operator = self._peek(1)
        if operator in ("=", "==", "!=", "<", ">", "-nt", "-ot", "-ef") or operator in NUMERIC:
            left, right = self.words[self.at], self.words[self.at + 2] if self.at + 2 < len(self.words) else Value()
            self.at += 3
            if operator in ("=", "==", "!="):
                return matches(self.shell, str(operator), left, [(right.text, True)], right)
            return binary(self.shell, left, str(operator), right)
        first = self._peek() or ""
        if re.fullmatch(r"-[a-zA-Z]", first) and operator is not None:
            operand = self.words[self.at + 1]
            self.at += 2
            return unary(self.shell, first, operand)
        operand = self.words[self.at] if self.at < len(self.words) else Value()
        self.at += 1
        return unary(self.shell, "-n", operand)


def unary(shell: State, operator: str, operand: Value) -> bool | None:
    if operator in ("-n", "-z"):
        if not operand.known and not operand.filled:
            shell.explain(f"{operand.text} {_WORDS[operator]}", f"{operand.text} {_WORDS[_other(operator)]}")
            return None
        filled = bool(operand.text)
        if filled:
            shell.suggest_flip(operand.inputs, [("", "{} is empty")])
        else:
            shell.suggest_all(operand.inputs, [(OTHER, "{} is not empty")])
        return filled if operator == "-n" else not filled
    if operator == "-v":
        known = shell.lookup(operand.text) is not None
        if not known and shell.is_outside(operand.text):
            shell.suggest(operand.text, OTHER, f"{operand.text} is set")
        return known
    if operator == "-t":
        return False
    if operator[1:] in _FILE_TESTS:
        return _file_test(shell, operator, operand)
    return None


def _other(operator: str) -> str:
    return "-z" if operator == "-n" else "-n"


def _file_test(shell: State, operator: str, operand: Value) -> bool | None:
    """A file is there where the deployment's own files put one; elsewhere nobody can say."""
    if operand.known and not operand.text:
        return False
    path = shell.absolute(operand.text)
    shell.tested.add(path or operand.text)
    if operand.known and path is not None:
        if path in shell.files.written:
            return operator not in ("-d", "-L", "-h", "-S", "-p", "-b", "-c")
        found = shell.files.find(path)
        if found is not None and found.is_file() and operator in ("-f", "-e", "-r", "-s", "-a"):
            return operator != "-s" or found.stat().st_size > 0
        if found is not None and found.is_dir() and operator in ("-d", "-e", "-a"):
            return True
    what = {"-d": "is a folder", "-x": "is executable", "-s": "is not empty"}.get(operator, "exists")
    shell.explain(f"{operand.text} {what}", f"not: {operand.text} {what}")
    return None


def matches(shell: State, operator: str, left: Value, runs: list[tuple[str, bool]], right: Value) -> bool | None:
    """``=``, ``!=`` (patterns) and ``=~``."""
    wanted = right.text
    plain = not any(character in text for text, quoted in runs if not quoted for character in "*?[")
    if plain and right.known and operator != "=~" and len(left.pieces) > 1:
        first = left.pieces[0]  # the `x` of `[ "x$A" = x ]` says nothing
        if first.known and not first.inputs and first.text and wanted.startswith(first.text):
            left, wanted = Value(left.pieces[1:]), wanted[len(first.text) :]
            right, runs = right.cut(len(first.text)), [(wanted, True)]
    if right.known and operator != "=~" and _is_other(left) and (plain or wanted == "*"):
        equal = wanted == "*"
        if plain and wanted:
            shell.suggest_all(left.inputs, [(wanted, "{}=" + wanted)])
        return equal if operator != "!=" else not equal
    verb = {"!=": "is not", "=~": "matches"}.get(operator, "is")
    if not left.known or not right.known:
        shell.explain(f"{left.text} {verb} {wanted or 'empty'}", f"not: {left.text} {verb} {wanted or 'empty'}")
        return None
    if operator == "=~":
        try:
            if _REPEATED.search(wanted) and len(left.text) > 16:
                return None
            found = re.compile(_posix("".join(re.escape(text) if quoted else text for text, quoted in runs)))
        except re.error:
            return None
        match = found.search(left.text)
        told = f"{{}} does not match {wanted}"
        shell.suggest_all(left.inputs, [("", "{} is empty"), (OTHER, told)] if match else [])
        if match:
            groups = [match.group(), *match.groups()]
            elements: dict[int | str, Value] = {
                at: left.map("") if group is None else left.cut(match.start(at), match.end(at))
                for at, group in enumerate(groups)
            }
            shell.variables["BASH_REMATCH"] = Variable(elements=elements)
        return match is not None
    found_pattern = shell.compile(runs)
    equal = bool(found_pattern and found_pattern.fullmatch(left.text))
    if equal:
        shell.suggest_all(left.inputs, [(OTHER, "{} is not " + (wanted or "empty"))])
    elif plain:
        shell.suggest_all(left.inputs, [(wanted, "{}=" + wanted if wanted else "{} is empty")])
    return equal if operator != "!=" else not equal


def _is_other(value: Value) -> bool:
    """A value that is assumed to be none of those that the script mentions."""
    return len(value.pieces) == 1 and value.pieces[0].other


def _posix(text: str) -> str:
    classes = {"digit": "0-9", "alpha": "a-zA-Z", "alnum": "a-zA-Z0-9", "space": r"\s", "upper": "A-Z", "lower": "a-z"}
    return re.sub(r"\[:(\w+):\]", lambda match: classes.get(match.group(1), ""), text)


def binary(
    shell: State, left: Value, operator: str, right: Value, integers_are_expressions: bool = False
) -> bool | None:
    if not left.known or not right.known or operator in ("-nt", "-ot", "-ef"):
        shell.explain(f"{left.text} {operator} {right.text}", f"not: {left.text} {operator} {right.text}")
        return None
    if operator in ("<", ">"):
        return left.text < right.text if operator == "<" else left.text > right.text
    try:
        if integers_are_expressions:
            a, b = shell.compute(left.text), shell.compute(right.text)
        else:
            a, b = int(left.text.strip()), int(right.text.strip())
    except (NotComputable, ValueError):
        return False  # bash prints "integer expression expected" and the test fails
    verdict = {"-eq": a == b, "-ne": a != b, "-lt": a < b, "-le": a <= b, "-gt": a > b, "-ge": a >= b}[operator]
    shell.suggest_flip(left.inputs, flips(operator, b, verdict))
    return verdict


def flips(operator: str, bound: int, verdict: bool) -> list[tuple[str | None, str]]:
    """Values that turn ``x OPERATOR bound`` to the other side, with their names."""
    yes = {"-eq": bound, "-ne": bound + 1, "-lt": bound - 1, "-le": bound, "-gt": bound + 1, "-ge": bound}[operator]
    no = {"-eq": bound + 1, "-ne": bound, "-lt": bound, "-le": bound + 1, "-gt": bound, "-ge": bound - 1}[operator]
    other = no if verdict else yes
    return [(str(other), "{}=" + str(other))]
