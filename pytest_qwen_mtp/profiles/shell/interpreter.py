"""Follows a script as bash would, without executing anything: what does it start, with which words and variables?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from pytest_qwen_mtp.profiles.shell import builtins, cases, conditions, expand, loops
from pytest_qwen_mtp.profiles.shell.arithmetic import NotComputable
from pytest_qwen_mtp.profiles.shell.control import Broken, Ended, Returned
from pytest_qwen_mtp.profiles.shell.limits import MAX_TEXT, TooLong
from pytest_qwen_mtp.profiles.shell.parser import Parser
from pytest_qwen_mtp.profiles.shell.state import FAILURE, SUCCESS, Program, State, Status
from pytest_qwen_mtp.profiles.shell.syntax import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Case,
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
    Simple,
    While,
)
from pytest_qwen_mtp.profiles.shell.values import Piece, Value, Variable, lines_of, text_of, unknown
from pytest_qwen_mtp.profiles.text import SourceText

MAX_STEPS = 4_000
"""Commands followed in one run; a launcher needs a few hundred."""
MAX_CALLS = 40


@lru_cache(maxsize=64)
def parse(text: str) -> tuple[CommandList, ShellSyntaxError | None]:
    """The commands of a script and the error at which its reading ends. Kept, since runs are repeated."""
    return Parser(text).program()


def _offset(where: Any) -> int:
    """Where a command, pipeline or list begins."""
    while not hasattr(where, "offset"):
        where = where.commands[0] if isinstance(where, Pipeline) else where.command
    return int(where.offset)


class Shell(State):
    """Runs commands on the state."""

    calls = 0
    loops = 0
    guards = 0
    """Surrounding conditions, inside which ``set -e`` does not stop."""
    substituted = SUCCESS
    """How the last command substitution ended."""
    scope: dict[str, Variable | None] | None = None
    option_state: tuple[int, int] = (1, 1)

    # -- running --------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Follows the whole script."""
        try:
            self.run_text(self.source)
        except (Ended, Returned, Broken):
            pass
        except TooLong as error:
            self.note(f"{error}; the rest was not followed", 0)
        except RecursionError:
            self.note("the script nests deeper than is followed", 0)

    def run_text(self, source: SourceText) -> Status:
        """Follows the commands of ``source`` in this shell."""
        program, error = parse(source.text)
        outer, self.source = self.source, source
        try:
            status = self.run_list(program)
        finally:
            if error is not None:
                self.note(f"not a shell script from here on: {error.message}", error.offset)
            self.source = outer
        return status

    def run_list(self, body: CommandList) -> Status:
        status = SUCCESS
        for item in body.items:
            status = self._and_or(item)
        return status

    def _and_or(self, item: AndOr) -> Status:
        if item.background:
            self.in_subshell(lambda: self._chain(item))
            return SUCCESS
        return self._chain(item)

    def _chain(self, item: AndOr) -> Status:
        last = item.rest[-1][1] if item.rest else item.first
        status, ran = self._link(item.first, last), item.first
        for operator, pipeline in item.rest:
            # A program's own success is taken for granted in a chain: `mkdir x || exit 1` means to go on.
            good = True if status.program else self.settle(status, pipeline)
            if good == (operator == "&&"):
                status, ran = self._link(pipeline, last), pipeline
        if self.errexit and not self.guards and ran is last and not last.negated and status.code:
            raise Ended(status)
        return status

    def _link(self, pipeline: Pipeline, last: Pipeline) -> Status:
        """One pipeline of a chain; the failure of any but the last does not end a script with ``set -e``."""
        if pipeline is last and not pipeline.negated:
            return self.run_pipeline(pipeline)
        return self.guarded(lambda: self.run_pipeline(pipeline))

    def guarded(self, work: Callable[[], Status]) -> Status:
        """Runs ``work`` where a failure is a condition and no reason to stop."""
        self.guards += 1
        try:
            return work()
        finally:
            self.guards -= 1

    def settle(self, status: Status, where: object) -> bool:
        """Whether the status counts as success; asks for a decision where it is not known."""
        if status.code is not None:
            return status.code == 0
        return self.decide(None, status.yes, status.no, _offset(where))

    def run_pipeline(self, pipeline: Pipeline) -> Status:
        self._step()
        if len(pipeline.commands) == 1:
            status = self.run_command(pipeline.commands[0])
        else:
            status = self._pipe(pipeline.commands)
        if pipeline.negated and status.code is None:
            status = replace(status, yes=status.no, no=status.yes)
        elif pipeline.negated:
            status = FAILURE if status.code == 0 else SUCCESS
        self.last = status
        return status

    def _pipe(self, commands: Sequence[Command]) -> Status:
        statuses: list[Status] = []
        given = self.input
        for index, command in enumerate(commands):
            last = index == len(commands) - 1
            outer_input, outer_output = self.input, self.output
            self.input = given
            self.output = self.output if last else []
            try:
                work = partial(self.run_command, command)
                statuses.append(self.in_subshell(work) if last else self.guarded(partial(self.in_subshell, work)))
                given = None if last else lines_of(Value(self.output or ()))
            finally:
                self.input, self.output = outer_input, outer_output
        codes: dict[int | str, Value] = {at: self.text_at(str(each.code or 0), 0) for at, each in enumerate(statuses)}
        self.variables["PIPESTATUS"] = Variable(elements=codes)
        failed = [status for status in statuses if status.code]
        return failed[-1] if self.pipefail and failed else statuses[-1]

    def in_subshell(self, work: Callable[[], Status]) -> Status:
        """Runs ``work`` on a copy of the variables; what it starts and writes stays."""
        kept = (dict(self.variables), list(self.parameters), dict(self.functions), self.directory)
        options = (self.nounset, self.errexit, self.pipefail, self.allexport)
        try:
            return work()
        except (Ended, Returned) as left:
            return left.status
        except Broken:
            return SUCCESS
        finally:
            self.variables, self.parameters, self.functions, self.directory = kept
            self.nounset, self.errexit, self.pipefail, self.allexport = options

    def _step(self) -> None:
        self.decisions.steps += 1
        if self.decisions.steps > MAX_STEPS:
            raise TooLong(f"more than {MAX_STEPS} commands in one run")

    def run_command(self, command: Command) -> Status:
        try:
            return self._run_command(command)
        except NotComputable as error:
            self.note(f"this cannot be computed: {error}", _offset(command))
            return Status(None, program=True)

    def _run_command(self, command: Command) -> Status:
        if isinstance(command, Simple):
            return self._simple(command)
        if isinstance(command, Redirected):
            return self._redirected(command)
        if isinstance(command, If):
            return self._if(command)
        if isinstance(command, Group):
            if command.subshell:
                return self.in_subshell(lambda: self.run_list(command.body))
            return self.run_list(command.body)
        if isinstance(command, Conditional):
            self.reason = None
            verdict = conditions.conditional(self, command.test)
            return self.verdict_status(verdict, self.slice(command.offset, command.end))
        if isinstance(command, ArithmeticCommand):
            return self.arithmetic_status(command.expression, command.offset)
        if isinstance(command, Case):
            return cases.run_case(self, command)
        if isinstance(command, For):
            return loops.run_for(self, command)
        if isinstance(command, While):
            return loops.run_while(self, command)
        if isinstance(command, ArithmeticFor):
            return loops.run_arithmetic_for(self, command)
        if isinstance(command, Function):
            self.functions[command.name] = (command, self.source)
            return SUCCESS
        return self.run_pipeline(command)

    def verdict_status(self, verdict: bool | None, written: str) -> Status:
        if verdict is not None:
            return SUCCESS if verdict else FAILURE
        yes, no = self.reason or (written, f"not: {written}")
        self.reason = None
        return Status(None, yes=yes, no=no)

    def _if(self, command: If) -> Status:
        for condition, body in command.branches:
            status = self.guarded(partial(self.run_list, condition))
            if self.settle(self._worded(status, condition), command):
                return self.run_list(body)
        return self.run_list(command.otherwise) if command.otherwise else SUCCESS

    def _worded(self, status: Status, condition: CommandList) -> Status:
        """A program's status with the program's words as the condition."""
        if status.code is None and status.program and status.yes == SUCCESS.yes and condition.items:
            first = condition.items[0].first.commands[0]
            if isinstance(first, Redirected):
                first = first.command
            if isinstance(first, Simple):
                written = " ".join(self.slice(first.offset, first.end).split())
                return replace(status, yes=f"`{written}` succeeds", no=f"`{written}` fails")
        return status

    # -- redirections ---------------------------------------------------------------------------------------------

    def _redirected(self, command: Redirected) -> Status:
        outer_input, outer_output = self.input, self.output
        written: list[Piece] | None = None
        target: Redirection | None = None
        for redirection in command.redirections:
            if redirection.heredoc is not None:
                self.input = lines_of(expand.text(self, redirection.heredoc))
            elif redirection.operator == "<<<":
                self.input = lines_of(expand.text(self, redirection.target))
            elif redirection.operator == "<":
                self.input = self._read_lines(expand.text(self, redirection.target))
            elif redirection.operator in (">", ">>", ">|", "&>", "&>>") and redirection.descriptor in (None, "1"):
                written, target = [], redirection
                self.output = written
        try:
            inner = command.command
            if isinstance(inner, Simple) and not inner.words and not inner.assignments and self.input is not None:
                for line in self.input:  # `$(< file)`
                    self.emit(line)
                    self.emit(self.text_at("\n", inner.offset))
            return self.run_command(inner)
        finally:
            self.input, self.output = outer_input, outer_output
            if target is not None and written is not None:
                self.write_file(expand.text(self, target.target), Value(written), target.operator == ">>")

    def _read_lines(self, path: Value) -> list[Value] | None:
        absolute = self.absolute(path.text) if path.known else None
        found = self.files.read(absolute) if absolute else None
        return lines_of(Value([Piece(found.text, found, 0)])) if found is not None else None

    def write_file(self, path: Value, content: Value, append: bool) -> None:
        """Text written to a file that a later command may read."""
        absolute = self.absolute(path.text) if path.known else None
        if not path.known and path.text.startswith("${"):
            absolute = path.text  # `$(mktemp)`: whatever it is called, the same name reads it again
        if absolute is None or absolute.startswith("/dev/") or not content.text:
            return
        if len(content.text) > MAX_TEXT:
            raise TooLong("a written file grows beyond what is followed")
        pieces = list(content.pieces)
        old = self.files.written.get(absolute) if append else None
        text = SourceText.of_pieces([(piece.text, piece.source, piece.offset, piece.references) for piece in pieces])
        self.files = self.files.with_written(absolute, text if old is None else old.joined(text))

    # -- simple commands ------------------------------------------------------------------------------------------

    def _simple(self, command: Simple) -> Status:
        self._step()
        self.dropped = []
        if self.source.uses:
            uses = self.source.references(command.offset, command.end)
            self.dropped.extend(use for use in uses if not use.resolved)
        if not command.words:
            self.substituted = SUCCESS
            for assignment in command.assignments:
                self.assign_from(assignment)
            return self.substituted
        name = command.words[0].literal()
        if name in builtins.DECLARATIONS:
            return builtins.declare(self, command, str(name))
        words = [field for word in command.words for field in expand.fields(self, word)]
        if not words:
            return SUCCESS
        if not command.assignments:
            return self.call(words, command.offset)
        kept = {assignment.name: self.variables.get(assignment.name) for assignment in command.assignments}
        for assignment in command.assignments:
            self.assign_from(assignment, exported=True)
        try:
            return self.call(words, command.offset)
        finally:
            self.restore(kept)

    def call(self, words: list[Value], offset: int) -> Status:
        """Runs one command by its fields: a function, a builtin, or a program."""
        function = self.functions.get(words[0].text)
        if function is not None:
            return self._call_function(function, words[1:])
        return self.call_program(words, offset)

    def call_program(self, words: list[Value], offset: int) -> Status:
        """A builtin or a program, functions passed over."""
        name = words[0].text
        if name in ("true", "false"):
            other = "false" if name == "true" else "true"
            self.suggest_all(words[0].inputs, [(other, "{}=" + other)])
        builtin = builtins.BUILTINS.get(name)
        if builtin is not None:
            return builtin(self, words, offset)
        return self._start(words, offset)

    def _start(self, words: list[Value], offset: int) -> Status:
        place = self.place(offset)
        program = Program(
            words=tuple(value.word(place) for value in words),
            env=self.exported(),
            files=self.files.in_directory(self.directory),
            place=place,
            demanded=(*self.dropped, *self.demanded),
            stdin=text_of(self.input) if self.input else None,
        )
        started = self.launch(program)
        if self.output is not None:
            self.emit_unknown(self.slice(offset, offset + 40).split("\n")[0], words[0].text, offset)
        return SUCCESS if started else Status(None, program=True)

    def source_text(self, source: SourceText, words: list[Value]) -> Status:
        """Follows another file's commands in this shell, as ``source`` does."""
        self.sourced.append(source)
        outer = self.parameters
        if words:
            self.parameters = words
        try:
            return self.nested(partial(self.run_text, source))
        except Returned as returned:
            return returned.status
        finally:
            self.parameters = outer

    def nested(self, work: Callable[[], Status]) -> Status:
        """Runs ``work`` one level deeper: a function, a sourced file, ``eval``."""
        if self.calls >= MAX_CALLS:
            raise TooLong(f"more than {MAX_CALLS} calls inside one another")
        self.calls += 1
        try:
            return work()
        finally:
            self.calls -= 1

    def make_local(self, name: str) -> None:
        """Remembers what ``name`` was outside the function, and unsets it inside."""
        if self.scope is not None and name not in self.scope:
            self.scope[name] = self.variables.pop(name, None)

    def unknown_input(self, name: str, offset: int) -> Value:
        """What ``read`` gives where nobody knows the input."""
        return unknown(f"${{{name}}}", name, self.source, offset)

    def _call_function(self, function: tuple[Function, SourceText], words: list[Value]) -> Status:
        definition, source = function
        outer, outer_source = self.parameters, self.source
        scope, self.scope = self.scope, {}
        self.parameters, self.source = words, source
        try:
            return self.nested(partial(self.run_command, definition.body))
        except Returned as returned:
            return returned.status
        finally:
            self.parameters, self.source = outer, outer_source
            self.restore(self.scope)
            self.scope = scope

    def restore(self, kept: Mapping[str, Variable | None]) -> None:
        """Gives names their former variables back."""
        for name, old in kept.items():
            if old is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = old

    # -- output ---------------------------------------------------------------------------------------------------

    def emit(self, value: Value) -> None:
        if self.output is not None:
            self.output.extend(value.pieces)

    def emit_unknown(self, reference: str, name: str, offset: int) -> None:
        if self.output is not None:
            self.output.extend(unknown(reference, name, self.source, offset).pieces)

    def substitute(self, body: CommandList, offset: int, end: int) -> Value:
        """The output of a command substitution; its own text as the reference where that cannot be known."""
        outer, self.output = self.output, []
        kept_dropped = self.dropped
        errexit, self.errexit = self.errexit, False  # bash does not hand `set -e` on to a substitution
        try:
            self.substituted = self.in_subshell(lambda: self.run_list(body))
            value = Value(self.output)
        finally:
            self.output, self.dropped, self.errexit = outer, kept_dropped, errexit
        if not value.known and not value.worth_keeping:
            written = " ".join(self.slice(offset, end).split())
            return unknown(written, written, self.source, offset, value.inputs)
        stripped = value.text.rstrip("\n")
        return value.cut(0, len(stripped)) if stripped != value.text else value

    def process_substitution(self, body: CommandList, offset: int, end: int) -> Value:
        """``<(…)``: a path of its own, under which the output can be read."""
        path = f"/dev/fd/{offset}"
        outer, self.output = self.output, []
        try:
            self.in_subshell(lambda: self.run_list(body))
            content = Value(self.output)
        finally:
            self.output = outer
        if not content.known or not content.text:
            written = " ".join(self.slice(offset, end).split())
            return unknown(written, written, self.source, offset)
        text = SourceText.of_pieces([(p.text, p.source, p.offset, p.references) for p in content.pieces])
        self.files = self.files.with_written(path, text)
        return self.text_at(path, offset)
