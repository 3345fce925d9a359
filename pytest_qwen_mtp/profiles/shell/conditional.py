"""``[[ … ]]``: its words, operators and grouping."""

from __future__ import annotations

import re

from pytest_qwen_mtp.profiles.shell.layout import Layout
from pytest_qwen_mtp.profiles.shell.syntax import ShellWord, Test

_UNARY = re.compile(r"-[a-zA-Z]$")
_BINARY = {"=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}


class ConditionalParser(Layout):
    """Reads the inside of a ``[[ … ]]``."""

    def read_test(self) -> Test:
        """The test at the position, up to the closing brackets, which are not consumed."""
        return self._test_or()

    def _test_or(self) -> Test:
        left = self._test_and()
        self._newlines()
        while self.peek(2) == "||":
            offset = self.position
            self.position += 2
            left = Test("||", (left, self._test_and()), offset)
            self._newlines()
        return left

    def _test_and(self) -> Test:
        left = self._test_not()
        self._newlines()
        while self.peek(2) == "&&":
            offset = self.position
            self.position += 2
            left = Test("&&", (left, self._test_not()), offset)
            self._newlines()
        return left

    def _test_not(self) -> Test:
        self._newlines()
        start = self.position
        if self.peek() == "!" and self.text[start + 1 : start + 2] in (" ", "\t", "\n", "("):
            self.position += 1
            return Test("!", (self._test_not(),), start)
        if self.peek() == "(":
            self.enter()
            self.position += 1
            inner = self._test_or()
            self._newlines()
            if self.peek() != ")":
                raise self.fail("`)` is expected here")
            self.position += 1
            self.depth -= 1
            return inner
        first = self.read_word()
        if first is None:
            raise self.fail(f"{self.peek() or 'the end'!r} stands where a test is expected")
        self._newlines()
        if _UNARY.match(first.literal() or "") and self.peek(2) not in ("]]", "&&", "||"):
            operand = self.read_word()
            if operand is not None and operand.literal() not in _BINARY:
                return Test(str(first.literal()), (operand,), start)
            self.position = first.end
            self._newlines()
        if self.peek() and self.peek() in "<>":
            operator = self.peek()
            self.position += 1
        else:
            back = self.position
            word = self.read_word()
            operator = word.literal() if word is not None and word.literal() in _BINARY else None  # type: ignore[assignment]
            if operator is None:
                self.position = back
                return Test("", (first,), start)
        self._blanks()
        right = self._regular_expression() if operator == "=~" else self._pattern()
        return Test(operator, (first, right), start)

    def _pattern(self) -> ShellWord:
        """The right side of ``==``: parentheses of an extended pattern belong to it."""
        word = self._balanced(" \t\n&;<>")
        if word is None:
            raise self.fail("a word is expected here")
        return word

    def _regular_expression(self) -> ShellWord:
        word = self._balanced(" \t\n")
        if word is None:
            raise self.fail("a regular expression is expected here")
        return word

    def _balanced(self, stops: str) -> ShellWord | None:
        start = self.position
        parts = self.read_parts(stops, quoted=False, balanced=True)
        return ShellWord(tuple(parts), start, self.position) if self.position > start else None
