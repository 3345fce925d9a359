"""The parts of a shell script. Offsets are character offsets into the script's SourceText."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


class ShellSyntaxError(Exception):
    """The text is not a shell script from ``offset`` on; bash would stop there, too."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Literal:
    """Text as it stands; ``quoted`` text is neither split, nor a pattern, nor expanded further."""

    text: str
    offset: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$name`` or ``${name…}``.

    ``operator`` is what stands behind the name: one of ``:-  -  :=  =  :?  ?  :+  +`` (defaults), ``#  ##  %  %%``
    (removal), ``/  //  /#  /%`` (replacement), ``^  ^^  ,  ,,`` (case), ``:`` (substring), ``@`` (transformation), or
    empty.
    ``prefix`` is ``#`` for the length and ``!`` for the indirect form.
    """

    name: str
    offset: int
    end: int
    quoted: bool = False
    prefix: str = ""
    subscript: ShellWord | None = None
    operator: str = ""
    argument: ShellWord | None = None
    second: ShellWord | None = None


@dataclass(frozen=True, slots=True)
class CommandSubstitution:
    body: CommandList
    offset: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``$((…))``: the inner word is expanded, then evaluated."""

    expression: ShellWord
    offset: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class ProcessSubstitution:
    """``<(…)`` or ``>(…)``; its value is a path that only the running shell knows."""

    body: CommandList
    offset: int
    end: int


Part = Literal | Parameter | CommandSubstitution | Arithmetic | ProcessSubstitution


@dataclass(frozen=True, slots=True)
class ShellWord:
    parts: tuple[Part, ...]
    offset: int
    end: int

    def literal(self) -> str | None:
        """The word's text where it is plain and unquoted, for reserved words; else None."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Literal) and not self.parts[0].quoted:
            return self.parts[0].text
        return None


@dataclass(frozen=True, slots=True)
class ArrayElement:
    subscript: ShellWord | None
    value: ShellWord


@dataclass(frozen=True, slots=True)
class Assignment:
    """``name=value``, ``name+=value``, ``name[i]=value`` or ``name=(…)``."""

    name: str
    offset: int
    append: bool
    value: ShellWord | tuple[ArrayElement, ...]
    subscript: ShellWord | None = None


@dataclass(frozen=True, slots=True)
class Redirection:
    """``descriptor`` is None for the operator's own; a here-document has its body in ``heredoc``."""

    operator: str
    target: ShellWord
    offset: int
    descriptor: str | None = None
    heredoc: ShellWord | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    assignments: tuple[Assignment, ...]
    words: tuple[ShellWord, ...]
    offset: int
    end: int
    declared: dict[int, Assignment] = field(default_factory=dict)
    """Assignments among the words of a declaration command (``export A=b``), by the index of their word."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    commands: tuple[Command, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AndOr:
    """``first`` and then ``(operator, pipeline)`` pairs; ``background`` when ended by ``&``."""

    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...] = ()
    background: bool = False


@dataclass(frozen=True, slots=True)
class CommandList:
    items: tuple[AndOr, ...]


@dataclass(frozen=True, slots=True)
class If:
    branches: tuple[tuple[CommandList, CommandList], ...]
    otherwise: CommandList | None
    offset: int


@dataclass(frozen=True, slots=True)
class For:
    """``words`` None means the positional parameters."""

    name: str
    words: tuple[ShellWord, ...] | None
    body: CommandList
    offset: int


@dataclass(frozen=True, slots=True)
class ArithmeticFor:
    start: ShellWord
    condition: ShellWord
    update: ShellWord
    body: CommandList
    offset: int


@dataclass(frozen=True, slots=True)
class While:
    condition: CommandList
    body: CommandList
    until: bool
    offset: int


@dataclass(frozen=True, slots=True)
class CaseItem:
    patterns: tuple[ShellWord, ...]
    body: CommandList
    terminator: str


@dataclass(frozen=True, slots=True)
class Case:
    word: ShellWord
    items: tuple[CaseItem, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    body: Command
    offset: int


@dataclass(frozen=True, slots=True)
class Group:
    """``{ …; }`` or, as ``subshell``, ``( … )``."""

    body: CommandList
    subshell: bool
    offset: int


@dataclass(frozen=True, slots=True)
class ArithmeticCommand:
    expression: ShellWord
    offset: int


@dataclass(frozen=True, slots=True)
class Test:
    """``[[ … ]]``: ``operator`` is ``!``, ``&&``, ``||``, a unary or a binary test operator; empty for a bare word."""

    operator: str
    operands: tuple[Test | ShellWord, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Conditional:
    test: Test
    offset: int
    end: int


@dataclass(frozen=True, slots=True)
class Redirected:
    """A command with redirections. A here-document joins the list when its line ends, after the command was read."""

    command: Command
    redirections: Sequence[Redirection]


Command = (
    Simple
    | Pipeline
    | If
    | For
    | ArithmeticFor
    | While
    | Case
    | Function
    | Group
    | ArithmeticCommand
    | Conditional
    | Redirected
)
