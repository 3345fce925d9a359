"""Words of a shell script: quotes, parameter expansions and substitutions, after bash's own rules.

A grammar-generated parser was tried first (tree-sitter-bash 0.25.1). It reads ``A=1 B=2`` and the command on the next
line as one command and ends ``${X:-{…}}`` elsewhere than bash, both without an error node; a reader that may not
guess cannot stand on it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_qwen_mtp.profiles.shell.syntax import (
    Arithmetic,
    CommandList,
    CommandSubstitution,
    Literal,
    Parameter,
    Part,
    ProcessSubstitution,
    ShellSyntaxError,
    ShellWord,
)

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DIGITS = re.compile(r"\d+")
META = " \t\n|&;()<>"
_PARAMETER_OPERATOR = re.compile(r":[-=?+]|[-=?+]|##?|%%?|//|/#|/%|/|\^\^?|,,?|@|:")
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_ANSI_NUMBER = re.compile(r"x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})")
MAX_DEPTH = 80
"""Nested expansions and commands; deeper text is refused instead of overflowing the stack."""


@lru_cache(maxsize=64)
def _plain_run(stops: str) -> re.Pattern[str]:
    return re.compile("[^" + re.escape("\\'\"$`\n()<>" + stops) + "]+")


class Lexer:
    """A position in ``text[position:end]`` and the methods that read one thing from there."""

    def __init__(self, text: str, position: int = 0, end: int | None = None) -> None:
        self.text = text
        self.position = position
        self.end = len(text) if end is None else end
        self.depth = 0

    # -- what the parser provides ---------------------------------------------------------------------------------

    def parse_substitution(self) -> CommandList:
        """The commands up to the closing parenthesis, which is consumed. Provided by the parser."""
        raise AssertionError("the lexer reads words only")

    def parse_region(self, text: str, start: int, end: int) -> CommandList:
        """The commands of ``text[start:end]``. Provided by the parser."""
        raise AssertionError("the lexer reads words only")

    # -- small steps ----------------------------------------------------------------------------------------------

    def peek(self, length: int = 1) -> str:
        return self.text[self.position : min(self.position + length, self.end)]

    def fail(self, message: str, offset: int | None = None) -> ShellSyntaxError:
        return ShellSyntaxError(message, self.position if offset is None else offset)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"more than {MAX_DEPTH} constructs stand inside one another")

    # -- words ----------------------------------------------------------------------------------------------------

    def read_word(self, stops: str = META) -> ShellWord | None:
        """The word at the position, or None where a metacharacter or the end stands there."""
        start = self.position
        parts = self.read_parts(stops, quoted=False, substitutes_process=True)
        if not parts and self.position == start:
            return None
        return ShellWord(tuple(parts), start, self.position)

    def read_parts(
        self,
        stops: str,
        *,
        quoted: bool,
        escapes: str | None = None,
        single_quotes: bool = True,
        double_quotes: bool = True,
        strip_tabs: bool = False,
        balanced: bool = False,
        substitutes_process: bool = False,
    ) -> list[Part]:
        """The parts up to the first unquoted character of ``stops``, or the end.

        ``escapes`` None: a backslash quotes any character; else it quotes only those, and stays otherwise.
        ``balanced``: characters between parentheses do not stop, and an unmatched closing one always does. In a
        plain word only the parentheses of an extended pattern (``@(a|b)``) are of this kind.
        """
        parts: list[Part] = []
        plain: list[str] = []
        begin = self.position

        def flush() -> None:
            nonlocal begin
            if plain:
                parts.append(Literal("".join(plain), begin, quoted))
                plain.clear()
            begin = self.position

        text = self.text
        pattern = _plain_run(stops)
        parentheses = 0
        while self.position < self.end:
            match = pattern.match(text, self.position, self.end)
            if match:
                plain.append(match.group())
                self.position = match.end()
                continue
            character = text[self.position]
            if character in "<>" and substitutes_process and not plain and not parts and self.peek(2)[1:] == "(":
                parts.append(self._process_substitution())
                begin = self.position
                continue
            if character == "(" and (balanced or parentheses or (plain and plain[-1][-1] in "?*+@!" and stops == META)):
                parentheses += 1
                plain.append(character)
                self.position += 1
            elif character == ")" and (balanced or parentheses):
                if parentheses == 0:
                    break
                parentheses -= 1
                plain.append(character)
                self.position += 1
            elif character in stops and parentheses == 0:
                break
            elif character == "\\":
                following = text[self.position + 1 : self.position + 2] if self.position + 1 < self.end else ""
                if following == "\n":
                    flush()
                    self.position += 2
                    begin = self.position
                elif not following or (escapes is not None and following not in escapes):
                    plain.append("\\")
                    self.position += 1
                else:
                    flush()
                    parts.append(Literal(following, self.position, True))
                    self.position += 2
                    begin = self.position
            elif character == "'" and single_quotes:
                flush()
                close = text.find("'", self.position + 1, self.end)
                if close == -1:
                    raise self.fail("a single quote is opened here and never closed")
                parts.append(Literal(text[self.position + 1 : close], self.position + 1, True))
                self.position = begin = close + 1
            elif character == '"' and double_quotes:
                flush()
                parts.extend(self.read_double_quotes())
                begin = self.position
            elif character == "`":
                flush()
                parts.append(self._backquotes(quoted))
                begin = self.position
            elif character == "$":
                flush()
                expanded = self.read_dollar(quoted)
                parts.extend(expanded or ())
                begin = self.position
                if expanded is None:
                    plain.append("$")
                    self.position += 1
            else:
                plain.append(character)
                self.position += 1
                if character == "\n" and strip_tabs:
                    flush()
                    while self.position < self.end and text[self.position] == "\t":
                        self.position += 1
                    begin = self.position
        flush()
        return parts

    def read_double_quotes(self) -> list[Part]:
        """The parts between double quotes; one empty quoted literal where nothing stands between them."""
        opened = self.position
        self.position += 1
        parts = self.read_parts('"', quoted=True, escapes='$`"\\', single_quotes=False, double_quotes=False)
        if self.position >= self.end:
            raise self.fail("a double quote is opened here and never closed", opened)
        self.position += 1
        return parts or [Literal("", opened + 1, True)]

    def read_dollar(self, quoted: bool) -> list[Part] | None:
        """The expansion that begins with the dollar sign at the position; None where it stands for itself."""
        start = self.position
        following = self.text[start + 1 : min(start + 3, self.end)]
        first = following[:1]
        if first == "(":
            self.enter()
            part: Part | None = self._arithmetic(quoted) if following == "((" else None
            if part is None:
                self.position = start + 2
                body = self.parse_substitution()
                part = CommandSubstitution(body, start, self.position, quoted)
            self.depth -= 1
            return [part]
        if first == "[":
            self.position = start + 2
            parts = self.read_parts("]", quoted=True, single_quotes=False)
            if self.peek() != "]":
                raise self.fail("`$[` is opened here and never closed", start)
            self.position += 1
            return [Arithmetic(ShellWord(tuple(parts), start + 2, self.position - 1), start, self.position, quoted)]
        if first == "{":
            self.enter()
            parameter = self._braced(quoted)
            self.depth -= 1
            return [parameter]
        if first == "'" and not quoted:
            return [self._ansi_quoted()]
        if first == '"' and not quoted:
            self.position += 1
            return self.read_double_quotes()
        match = NAME.match(self.text, start + 1, self.end)
        if match:
            self.position = match.end()
            return [Parameter(match.group(), start, self.position, quoted)]
        if first and first in "0123456789@*#?-$!":
            self.position = start + 2
            return [Parameter(first, start, self.position, quoted)]
        return None

    # -- ${…} -----------------------------------------------------------------------------------------------------

    def _braced(self, quoted: bool) -> Parameter:
        start = self.position
        self.position += 2
        prefix = ""
        if self.peek() == "#" and self.peek(2)[1:] not in ("}", "", ":", "-", "=", "?", "+", "%", "#", "/"):
            prefix = "#"
        elif self.peek() == "!" and (self.peek(2)[1:].isalnum() or self.peek(2)[1:] in ("_", "@", "*")):
            prefix = "!"
        self.position += len(prefix)
        match = NAME.match(self.text, self.position, self.end) or _DIGITS.match(self.text, self.position, self.end)
        if match:
            name = match.group()
            self.position = match.end()
        elif self.peek() and self.peek() in "@*#?-$!":
            name = self.peek()
            self.position += 1
        else:
            raise self.fail("bad substitution: a name is expected after `${`", start)
        subscript = None
        if self.peek() == "[":
            self.position += 1
            begin = self.position
            parts = self.read_parts("]", quoted=False)
            subscript = ShellWord(tuple(parts), begin, self.position)
            self.position += 1
        if prefix == "!" and subscript is None and self.peek() in ("*", "@") and self.peek(2)[1:] == "}":
            name += self.peek()
            self.position += 1
        operator, argument, second = "", None, None
        if self.peek() != "}":
            found = _PARAMETER_OPERATOR.match(self.text, self.position, self.end)
            if not found:
                raise self.fail("bad substitution: `}` or an operator is expected here")
            operator = found.group()
            self.position = found.end()
            argument, second = self._arguments(operator, quoted)
        if self.peek() != "}":
            raise self.fail("`${` is opened here and never closed", start)
        self.position += 1
        return Parameter(name, start, self.position, quoted, prefix, subscript, operator, argument, second)

    def _arguments(self, operator: str, quoted: bool) -> tuple[ShellWord, ShellWord | None]:
        pattern = operator[0] in "#%/^,@"
        separator = {"/": "/", ":": ":"}.get(operator[0], "") if operator not in (":-", ":=", ":?", ":+") else ""
        first = self._argument(quoted, pattern, "}" + separator)
        second = None
        if separator and self.peek() == separator:
            self.position += 1
            second = self._argument(quoted, pattern, "}")
        return first, second

    def _argument(self, quoted: bool, pattern: bool, stops: str) -> ShellWord:
        start = self.position
        parts = self.read_parts(
            stops,
            quoted=quoted and not pattern,
            escapes='$`"\\}' if quoted and not pattern else None,
            single_quotes=pattern or not quoted,
        )
        return ShellWord(tuple(parts), start, self.position)

    # -- substitutions --------------------------------------------------------------------------------------------

    def _arithmetic(self, quoted: bool) -> Arithmetic | None:
        """``$((…))``; None where the two parentheses open a subshell inside a command substitution."""
        start = self.position
        self.position += 3
        expression = self.read_arithmetic()
        if expression is None:
            return None
        return Arithmetic(expression, start, self.position, quoted)

    def read_arithmetic(self) -> ShellWord | None:
        """The expression up to ``))``, which is consumed; None where one parenthesis closes alone."""
        begin = self.position
        parts = self.read_parts("", quoted=True, single_quotes=False, balanced=True)
        expression = ShellWord(tuple(parts), begin, self.position)
        if self.peek(2) != "))":
            return None
        self.position += 2
        return expression

    def _process_substitution(self) -> ProcessSubstitution:
        start = self.position
        self.enter()
        self.position += 2
        body = self.parse_substitution()
        self.depth -= 1
        return ProcessSubstitution(body, start, self.position)

    def _backquotes(self, quoted: bool) -> CommandSubstitution:
        start = self.position
        position = start + 1
        content: list[str] = []
        while position < self.end and self.text[position] != "`":
            if self.text[position] == "\\" and self.text[position + 1 : position + 2] in ("`", "\\", "$"):
                position += 1
            content.append(self.text[position])
            position += 1
        if position >= self.end:
            raise self.fail("a backquote is opened here and never closed", start)
        self.enter()
        # Blanks in front keep the offsets those of the script; backslashes taken away shift what follows them.
        body = self.parse_region(" " * (start + 1) + "".join(content), start + 1, start + 1 + len(content))
        self.depth -= 1
        self.position = position + 1
        return CommandSubstitution(body, start, self.position, quoted)

    def _ansi_quoted(self) -> Literal:
        start = self.position
        position = start + 2
        out: list[str] = []
        while position < self.end and self.text[position] != "'":
            character = self.text[position]
            if character != "\\":
                out.append(character)
                position += 1
                continue
            following = self.text[position + 1 : position + 2]
            number = _ANSI_NUMBER.match(self.text, position + 1, self.end)
            if number:
                digits = next(group for group in number.groups() if group is not None)
                out.append(chr(int(digits, 8 if number.group(4) else 16) % 0x110000))
                position = number.end()
            else:
                known = following in _ANSI or following in "\\'\"?"
                out.append(_ANSI.get(following, following) if known else "\\" + following)
                position += 2
        if position >= self.end:
            raise self.fail("a `$'` quote is opened here and never closed", start)
        self.position = position + 1
        return Literal("".join(out), start + 2, True)
