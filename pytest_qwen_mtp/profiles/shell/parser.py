"""Commands of a shell script: lists, pipelines, compound commands, redirections and here-documents."""

from __future__ import annotations

from pytest_qwen_mtp.profiles.shell.conditional import ConditionalParser
from pytest_qwen_mtp.profiles.shell.lexer import META, NAME
from pytest_qwen_mtp.profiles.shell.syntax import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    ArrayElement,
    Assignment,
    Case,
    CaseItem,
    Command,
    CommandList,
    Conditional,
    For,
    Function,
    Group,
    If,
    Pipeline,
    Redirected,
    Redirection,
    ShellSyntaxError,
    ShellWord,
    Simple,
    While,
)

_DECLARATIONS = {"export", "declare", "typeset", "local", "readonly"}
_CLOSERS = {"then", "elif", "else", "fi", "do", "done", "esac", "}"}


class Parser(ConditionalParser):
    """Reads commands from the position on. Raises ShellSyntaxError where bash would refuse the text."""

    # -- whole texts ----------------------------------------------------------------------------------------------

    def program(self) -> tuple[CommandList, ShellSyntaxError | None]:
        """All commands; as in bash, those before a syntax error count, and the error is handed out beside them."""
        items: list[AndOr] = []
        try:
            while True:
                self._newlines()
                if self.position >= self.end:
                    return CommandList(tuple(items)), None
                items.append(self._and_or())
                if self.peek() and self.peek() in ")}":
                    raise self.fail(f"`{self.peek()}` closes nothing here")
        except ShellSyntaxError as error:
            return CommandList(tuple(items)), error
        except RecursionError:
            return CommandList(tuple(items)), self.fail("constructs stand inside one another deeper than is read")

    def parse_substitution(self) -> CommandList:
        opened = self.position
        body = self._list(")")
        if self.peek() != ")":
            raise self.fail("a parenthesis is opened here and never closed", opened)
        self.position += 1
        return body

    def parse_region(self, text: str, start: int, end: int) -> CommandList:
        inner = Parser(text, start, end)
        inner.depth = self.depth
        body, error = inner.program()
        if error:
            raise error
        return body

    # -- lists and pipelines --------------------------------------------------------------------------------------

    def _list(self, closing: str = "") -> CommandList:
        """Commands up to a reserved word that closes something, or the character ``closing``."""
        self.enter()
        items: list[AndOr] = []
        while True:
            self._newlines()
            if self.position >= self.end or (closing and self.peek() == closing) or self._closer():
                break
            items.append(self._and_or())
        self.depth -= 1
        return CommandList(tuple(items))

    def _closer(self) -> str | None:
        """The reserved word at the position that ends a list, not consumed."""
        if self.peek() == "}" and (self.position + 1 >= self.end or self.text[self.position + 1] in META):
            return "}"
        if self.peek(2) in (";;", ";&"):
            return ";;"
        match = NAME.match(self.text, self.position, self.end)
        if match and match.group() in _CLOSERS and (match.end() >= self.end or self.text[match.end()] in META):
            return match.group()
        return None

    def _and_or(self) -> AndOr:
        first = self._pipeline()
        rest: list[tuple[str, Pipeline]] = []
        while True:
            self._blanks()
            operator = self.peek(2)
            if operator not in ("&&", "||"):
                break
            self.position += 2
            self._newlines()
            rest.append((operator, self._pipeline()))
        background = False
        if self.peek() == "&":
            background = True
            self.position += 1
        elif self.peek() == ";" and self.peek(2) not in (";;", ";&"):
            self.position += 1
        elif self.peek() == "\n":
            self._newline()
        elif self.peek() and self.peek() not in ")" and not self._closer():
            raise self.fail(f"`{self.peek()}` is not expected here")
        return AndOr(first, tuple(rest), background)

    def _pipeline(self) -> Pipeline:
        self._blanks()
        negated = False
        while True:
            word = self._reserved()
            if word == "!":
                negated = not negated
            elif word == "time":
                self._blanks()
                if self.peek(2) == "-p":
                    self.position += 2
            else:
                break
            self._blanks()
        commands = [self._command()]
        while True:
            self._blanks()
            if self.peek() != "|" or self.peek(2) == "||":
                return Pipeline(tuple(commands), negated)
            self.position += 2 if self.peek(2) == "|&" else 1
            self._newlines()
            commands.append(self._command())

    def _reserved(self) -> str | None:
        """Consumes ``!`` or ``time`` where it stands as a word of its own."""
        for word in ("!", "time"):
            stop = self.position + len(word)
            if self.peek(len(word)) == word and (stop >= self.end or self.text[stop] in " \t\n"):
                self.position = stop
                return word
        return None

    # -- commands -------------------------------------------------------------------------------------------------

    def _command(self) -> Command:
        self.enter()
        self._blanks()
        start = self.position
        waiting = len(self._heredocs)
        command = self._compound(start)
        if command is None:
            command = self._simple()
        elif not isinstance(command, (Simple, Function)):
            redirections = self._redirections()
            if redirections or len(self._heredocs) > waiting:
                command = Redirected(command, redirections)
        self.depth -= 1
        return command

    def _compound(self, start: int) -> Command | None:
        if self.peek(2) == "((":
            self.position += 2
            expression = self.read_arithmetic()
            if expression is not None:
                return ArithmeticCommand(expression, start)
            self.position = start
        if self.peek() == "(":
            self.position += 1
            return Group(self.parse_substitution(), True, start)
        if self.peek(2) == "[[" and self.text[start + 2 : start + 3] in (" ", "\t", "\n"):
            self.position += 2
            test = self.read_test()
            self._newlines()
            if self.peek(2) != "]]":
                raise self.fail("`]]` is expected here")
            self.position += 2
            return Conditional(test, start, self.position)
        if self.peek() == "{" and self.text[start + 1 : start + 2] in (" ", "\t", "\n"):
            self.position += 1
            body = self._list()
            self._expect("}")
            return Group(body, False, start)
        match = NAME.match(self.text, start, self.end)
        if not match or (match.end() < self.end and self.text[match.end()] not in META):
            return None
        readers = {
            "if": self._if,
            "for": self._for,
            "select": self._for,
            "while": self._while,
            "until": self._while,
            "case": self._case,
            "function": self._function,
            "coproc": self._coproc,
        }
        reader = readers.get(match.group())
        if reader is None:
            return None
        self.position = match.end()
        return reader(start)

    def _coproc(self, start: int) -> Command:
        """``coproc [NAME] command``: a command in the background; only a compound one can have a name."""
        self._blanks()
        name = NAME.match(self.text, self.position, self.end)
        behind = self.text[name.end() : self.end].lstrip(" \t")[:2] if name else ""
        if name and (behind[:1] == "(" or behind in ("{ ", "{\n", "{\t")):
            self.position = name.end()
        command = self._command()
        return Group(CommandList((AndOr(Pipeline((command,)), (), True),)), False, start)

    def _expect(self, word: str) -> None:
        self._newlines()
        if self._closer() != word:
            found = (
                self.text[self.position : self.position + 20].split("\n")[0] if self.position < self.end else "the end"
            )
            raise self.fail(f"`{word}` is expected here, found {found!r}")
        self.position += len(word)

    def _if(self, start: int) -> If:
        branches: list[tuple[CommandList, CommandList]] = []
        otherwise = None
        while True:
            condition = self._list()
            self._expect("then")
            branches.append((condition, self._list()))
            if self._closer() == "elif":
                self.position += 4
                continue
            if self._closer() == "else":
                self.position += 4
                otherwise = self._list()
            self._expect("fi")
            return If(tuple(branches), otherwise, start)

    def _for(self, start: int) -> Command:
        self._blanks()
        if self.peek(2) == "((":
            return self._arithmetic_for(start)
        name = NAME.match(self.text, self.position, self.end)
        if not name:
            raise self.fail("a variable name is expected after `for`")
        self.position = name.end()
        self._newlines()
        words: list[ShellWord] | None = None
        following = NAME.match(self.text, self.position, self.end)
        if following and following.group() == "in":
            self.position += 2
            words = []
            while True:
                self._blanks()
                word = self.read_word()
                if word is None:
                    break
                words.append(word)
        if self.peek() == ";":
            self.position += 1
        body = self._do_group()
        return For(name.group(), None if words is None else tuple(words), body, start)

    def _arithmetic_for(self, start: int) -> ArithmeticFor:
        self.position += 2
        expressions: list[ShellWord] = []
        for closing in (";", ";", ")"):
            begin = self.position
            parts = self.read_parts(closing, quoted=True)
            expressions.append(ShellWord(tuple(parts), begin, self.position))
            self.position += 1
        if self.peek() != ")":
            raise self.fail("`))` is expected here")
        self.position += 1
        self._blanks()
        if self.peek() == ";":
            self.position += 1
        body = self._do_group()
        return ArithmeticFor(expressions[0], expressions[1], expressions[2], body, start)

    def _do_group(self) -> CommandList:
        self._newlines()
        if self.peek() == "{":
            self.position += 1
            body = self._list()
            self._expect("}")
            return body
        self._expect("do")
        body = self._list()
        self._expect("done")
        return body

    def _while(self, start: int) -> While:
        until = self.text.startswith("until", start)
        condition = self._list()
        return While(condition, self._do_group(), until, start)

    def _case(self, start: int) -> Case:
        self._blanks()
        word = self.read_word()
        self._newlines()
        if word is None or self.peek(2) != "in":
            raise self.fail("`in` is expected after the word of `case`")
        self.position += 2
        items: list[CaseItem] = []
        while True:
            self._newlines()
            if self._closer() == "esac":
                self.position += 4
                return Case(word, tuple(items), start)
            if self.peek() == "(":
                self.position += 1
            patterns: list[ShellWord] = []
            while True:
                self._blanks()
                pattern = self.read_word()
                if pattern is None:
                    raise self.fail("a pattern is expected here")
                patterns.append(pattern)
                self._blanks()
                if self.peek() != "|":
                    break
                self.position += 1
            if self.peek() != ")":
                raise self.fail("`)` is expected after the pattern")
            self.position += 1
            body = self._list()
            terminator = next((mark for mark in (";;&", ";;", ";&") if self.peek(len(mark)) == mark), "")
            self.position += len(terminator)
            items.append(CaseItem(tuple(patterns), body, terminator or ";;"))

    def _function(self, start: int) -> Function:
        self._blanks()
        word = self.read_word()
        name = word.literal() if word else None
        if name is None:
            raise self.fail("a function name is expected here")
        self._blanks()
        if self.peek() == "(":
            self.position += 1
            self._blanks()
            if self.peek() != ")":
                raise self.fail("`)` is expected here")
            self.position += 1
        self._newlines()
        return Function(name, self._command(), start)

    def _simple(self) -> Command:
        start = self.position
        assignments: list[Assignment] = []
        words: list[ShellWord] = []
        redirections: list[Redirection] = []
        declared: dict[int, Assignment] = {}
        declaration = False
        waiting = len(self._heredocs)
        while True:
            self._blanks()
            if self.position >= self.end:
                break
            if self._redirection(redirections):
                continue
            assignment = self._assignment() if not words or declaration else None
            if assignment is not None:
                if words:
                    declared[len(words)] = assignment
                    words.append(ShellWord((), assignment.offset, self.position))
                else:
                    assignments.append(assignment)
                continue
            word = self.read_word()
            if word is None:
                break
            words.append(word)
            if len(words) == 1:
                name = word.literal()
                declaration = name in _DECLARATIONS
                self._blanks()
                if name and self.peek() == "(" and not assignments:
                    self.position += 1
                    self._blanks()
                    if self.peek() != ")":
                        raise self.fail("`)` is expected here")
                    self.position += 1
                    self._newlines()
                    return Function(name, self._command(), start)
        reads_heredoc = len(self._heredocs) > waiting
        if not (assignments or words or redirections or reads_heredoc):
            raise self.fail(f"{self.peek() or 'the end'!r} stands where a command is expected")
        command = Simple(tuple(assignments), tuple(words), start, self.position, declared)
        if not redirections and not reads_heredoc:
            return command
        return Redirected(command, redirections)

    def _assignment(self) -> Assignment | None:
        """The assignment at the position; None, and nothing consumed, where none stands there."""
        start = self.position
        name = NAME.match(self.text, start, self.end)
        if not name:
            return None
        self.position = name.end()
        subscript = None
        if self.peek() == "[":
            self.position += 1
            begin = self.position
            parts = self.read_parts("]\n", quoted=False)
            subscript = ShellWord(tuple(parts), begin, self.position)
            self.position += 1
        append = self.peek(2) == "+="
        if not append and self.peek() != "=":
            self.position = start
            return None
        self.position += 2 if append else 1
        if self.peek() == "(":
            return Assignment(name.group(), start, append, self.read_array(), subscript)
        begin = self.position
        value = self.read_word() or ShellWord((), begin, begin)
        return Assignment(name.group(), start, append, value, subscript)

    def read_array(self) -> tuple[ArrayElement, ...]:
        """The elements of ``(…)`` at the position."""
        opened = self.position
        self.position += 1
        elements: list[ArrayElement] = []
        while True:
            self._newlines()
            if self.position >= self.end:
                raise self.fail("an array is opened here and never closed", opened)
            if self.peek() == ")":
                self.position += 1
                return tuple(elements)
            subscript = None
            if self.peek() == "[":
                start = self.position
                self.position += 1
                parts = self.read_parts("]", quoted=False)
                if self.peek(2) == "]=":
                    subscript = ShellWord(tuple(parts), start + 1, self.position)
                    self.position += 2
                else:
                    self.position = start
            word = self.read_word()
            if word is None:
                if subscript is None:
                    raise self.fail(f"`{self.peek()}` is not expected in an array")
                word = ShellWord((), self.position, self.position)
            elements.append(ArrayElement(subscript, word))
