"""The state of a followed script: its variables, what it depends on, and what could not be decided."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.model import NotSeen, Word
from pytest_qwen_mtp.profiles.shell import conditions, expand, filled_in
from pytest_qwen_mtp.profiles.shell.arithmetic import NotComputable, evaluate
from pytest_qwen_mtp.profiles.shell.branches import OTHER, Decisions
from pytest_qwen_mtp.profiles.shell.limits import MAX_ELEMENTS, MAX_TEXT, TooLong
from pytest_qwen_mtp.profiles.shell.names import assigned_names
from pytest_qwen_mtp.profiles.shell.patterns import compile_pattern
from pytest_qwen_mtp.profiles.shell.syntax import Assignment, CommandList, Function, ShellWord
from pytest_qwen_mtp.profiles.shell.values import NOTHING, Piece, Value, Variable, join, of_word, unknown
from pytest_qwen_mtp.profiles.text import Given, Reference, SourceText

ALWAYS_SET = frozenset(
    {
        "HOME",
        "USER",
        "LOGNAME",
        "PATH",
        "PWD",
        "OLDPWD",
        "SHELL",
        "HOSTNAME",
        "UID",
        "EUID",
        "PPID",
        "RANDOM",
        "SECONDS",
    }
    | {"EPOCHSECONDS", "SRANDOM", "BASHPID", "LINENO", "TERM", "LANG", "BASH", "BASH_VERSION", "HOSTTYPE", "OSTYPE"}
)
"""Variables that a shell always has, with a value that no file gives."""
_NAMES = re.compile(r"[A-Za-z_]\w*")
_COMPARISON = re.compile(r"(.+?)\s*(==|!=|<=|>=|<|>)\s*(-?\d+)")


@dataclass(frozen=True, slots=True)
class Program:
    """A program that a script starts.

    ``demanded`` are references without a value on which the start depends although no word may show them; ``stdin``
    is what it reads, where that is known.
    """

    words: tuple[Word, ...]
    env: Mapping[str, Word | None]
    files: FileView
    place: Place
    demanded: tuple[Reference, ...] = ()
    stdin: SourceText | None = None


Launch = Callable[[Program], bool]
"""Told of every program that the script starts; answers whether it is a server (or holds one)."""


@dataclass(frozen=True, slots=True)
class Status:
    """How a command ended. ``code`` None: not known; ``program`` says that it is some program's own affair."""

    code: int | None
    program: bool = False
    yes: str = "the condition holds"
    no: str = "the condition does not hold"


SUCCESS = Status(0)
FAILURE = Status(1)


class State:
    """The state of one run: variables, parameters, functions, what was written, and what was started."""

    def __init__(
        self,
        source: SourceText,
        decisions: Decisions,
        launch: Launch,
        *,
        environment: Mapping[str, Word | None] | None = None,
        parameters: Sequence[Word] = (),
        name: Word | None = None,
        files: FileView,
        directory: str | None = None,
    ) -> None:
        self.source = source
        self.decisions = decisions
        self.launch = launch
        self.files = files
        self.directory = directory
        self.variables: dict[str, Variable] = {}
        self.parameters = [of_word(word) for word in parameters]
        self.zero = of_word(name) if name else Value([Piece("bash", source, 0)])
        self.functions: dict[str, tuple[Function, SourceText]] = {}
        self.not_seen: list[NotSeen] = []
        self.dropped: list[Reference] = []
        self.demanded: list[Reference] = []
        self.nounset = False
        self.output: list[Piece] | None = None
        self.input: list[Value] | None = None
        self.allexport = False
        self.errexit = False
        self.pipefail = False
        self.ignores_case = False
        self.last = SUCCESS
        self.tested: set[str] = set()
        """Paths that the script asked about: it can do without them."""
        self.lacks_values = False
        """A file of values that the script relies on is not here."""
        self.sourced: list[SourceText] = [source]
        self.reason: tuple[str, str] | None = None
        self.handed_through = [key for key, word in (environment or {}).items() if word is None]
        for key, word in (environment or {}).items():
            if word is not None:
                switchable = bool(word.references)
                value = of_word(word, frozenset([key]) if switchable else NOTHING)
                self.variables[key] = Variable(value, exported=True)
        for key, text in decisions.inputs.items():
            if not key.isdigit() and not key.startswith(filled_in.COMPOSE):
                self.variables[key] = Variable(self.assumed(key, text), exported=True)
        numbered = {int(key): text for key, text in decisions.inputs.items() if key.isdigit()}
        for index in range(len(self.parameters) + 1, max(numbered, default=0) + 1):
            self.parameters.append(self.assumed(str(index), numbered.get(index, "")))

    def assumed(self, name: str, text: str | None) -> Value:
        """An outside value that this run assumes."""
        if text is OTHER:
            bare = name.removeprefix(filled_in.COMPOSE)
            return unknown(f"${{{bare}}}", bare, self.source, 0, frozenset([name]), filled=True, other=True)
        return self.text_at(text, 0, frozenset([name]))

    # -- what running commands provides ---------------------------------------------------------------------------

    def substitute(self, body: CommandList, offset: int, end: int) -> Value:
        """The output of a command substitution."""
        raise AssertionError("a state alone runs nothing")

    def process_substitution(self, body: CommandList, offset: int, end: int) -> Value:
        """The path of a process substitution."""
        raise AssertionError("a state alone runs nothing")

    # -- texts and places -----------------------------------------------------------------------------------------

    def slice(self, start: int, end: int) -> str:
        return self.source.text[start:end]

    def place(self, offset: int) -> Place:
        return self.source.place(offset)

    def literal(self, text: str, offset: int) -> Value:
        """Text as it stands in the script; references that filled the script in beforehand go with it."""
        if not self.source.uses:
            return Value((Piece(text, self.source, offset),))
        uses = self.source.references(offset, offset + len(text))
        known = all(use.given is not Given.UNKNOWN for use in uses)
        if any(use.given in filled_in.SWITCHABLE for use in uses) and self.source.path.endswith((".yaml", ".yml")):
            return filled_in.literal(self, text, offset, known)
        return Value([Piece(text, self.source, offset, uses, NOTHING, known)])

    def foreign(self, start: int, end: int) -> Value | None:
        """A reference that an outer text could not fill in: it stands for a value there, not for one of this shell."""
        for first, last, use in self.source.uses:
            own = f"${{{use.name}}}"  # Compose was given the reference itself, for want of a value
            is_open = use.given is Given.UNKNOWN or (use.given is Given.ENVIRONMENT and self.slice(first, last) == own)
            if first <= start and end <= last and is_open:
                return Value([Piece(self.slice(start, end), self.source, start, (use,), NOTHING, known=False)])
        return None

    def text_at(self, text: str, offset: int, inputs: frozenset[str] = NOTHING) -> Value:
        return Value([Piece(text, self.source, offset, (), inputs)])

    def note(self, what: str, offset: int) -> None:
        seen = NotSeen(what, self.place(offset))
        if seen not in self.not_seen:
            self.not_seen.append(seen)

    def field_separators(self) -> str:
        variable = self.variables.get("IFS")
        value = variable.scalar() if variable else None
        return " \t\n" if value is None else value.text

    def absolute(self, path: str) -> str | None:
        """The path as seen from the root; None where the working folder is not known."""
        if path.startswith("/"):
            return posixpath.normpath(path)
        return posixpath.normpath(posixpath.join(self.directory, path)) if self.directory else None

    # -- variables ------------------------------------------------------------------------------------------------

    def lookup(self, name: str) -> Variable | None:
        return self.variables.get(self.actual(name))

    def actual(self, name: str) -> str:
        """The name itself, or what it stands for by ``declare -n``."""
        variable = self.variables.get(name)
        return variable.stands_for if variable is not None and variable.stands_for else name

    def is_outside(self, name: str) -> bool:
        """Nothing in the script gives the name a value: only who starts it could."""
        return name not in self.variables and name not in ALWAYS_SET and not name.startswith("BASH_")

    def is_own(self, name: str) -> bool:
        """The script gives the name a value somewhere, so it is not meant to come from outside."""
        return name in assigned_names(self.sourced)

    def name_zero(self) -> Value:
        return self.zero

    def parameter(self, name: str, subscript: ShellWord | None) -> Value | None:
        """The value of a name, positional or special parameter or array element; None where it is unset."""
        if name.isdigit():
            index = int(name)
            if index == 0:
                return self.zero
            return self.parameters[index - 1] if index <= len(self.parameters) else None
        if not (name[0].isalpha() or name[0] == "_"):
            return self._special(name)
        name = self.actual(name)
        variable = self.variables.get(name)
        if name == "BASH_SOURCE":
            return self.zero
        if variable is None:
            if name in ALWAYS_SET:
                if name == "PWD" and self.directory:
                    return self.text_at(self.directory, 0)
                return unknown(f"${{{name}}}", name, self.source, 0, filled=True)
            return None
        if subscript is None:
            return variable.scalar()
        if variable.associative:
            return (variable.elements or {}).get(expand.text(self, subscript).text)
        elements = variable.elements if variable.elements is not None else {0: variable.value or Value()}
        try:
            index = self.integer(subscript)
        except NotComputable:
            return None
        if index < 0:
            keys = sorted(key for key in elements if isinstance(key, int))
            index += (keys[-1] + 1) if keys else 0
        return elements.get(index)

    def _special(self, name: str) -> Value | None:
        if name == "#":
            return self.text_at(str(len(self.parameters)), 0, NOTHING if self.parameters else frozenset(["#"]))
        if name in "@*":
            return join(self.parameters, " ")
        if name == "?":
            return self.text_at(str(self.last.code or 0), 0)
        if name == "-":
            return self.text_at("hB", 0)
        return unknown(f"${name}", name, self.source, 0)

    def lookup_value(self, name: str, offset: int, end: int) -> Value:
        value = self.parameter(name, None)
        return self.unset(name, offset, end) if value is None else value

    def unset(self, name: str, offset: int, end: int) -> Value:
        """What an unset name gives: empty text; with ``set -u`` the script would stop, so the reference stays."""
        if not self.is_outside(name):
            return Value([Piece("", self.source, offset)])
        if self.is_own(name):
            return Value([Piece("", self.source, offset, (), frozenset([name]))])
        if self.lacks_values:
            return unknown(f"${{{name}}}", name, self.source, offset, frozenset([name]))
        if self.nounset:
            return self.required(name, offset, frozenset([name]))
        use = Reference(name, self.place(offset), Given.UNSET)
        return Value([Piece("", self.source, offset, (use,), frozenset([name]))])

    def required(self, name: str, offset: int, inputs: frozenset[str]) -> Value:
        """A name that the script insists on: it runs only when somebody gives it."""
        value = unknown(f"${{{name}}}", name, self.source, offset, inputs)
        self.demanded.extend(value.references)
        if not name.isdigit():
            self.variables.setdefault(name, Variable(value))
        return value

    def assign(self, name: str, variable: Variable, append: bool = False) -> None:
        name = self.actual(name)
        old = self.variables.get(name)
        if (variable.integer or (old is not None and old.integer)) and variable.value is not None:
            variable = self._as_integer(variable, old if append else None)
            append = False
        exported = variable.exported or self.allexport or (old.exported if old else False)
        given = variable.value
        if append and old is not None and variable.elements is None and given is not None:
            if old.elements is not None:
                key: int | str = "0" if old.associative else 0
                joined = Value([*(old.elements.get(key) or Value()).pieces, *given.pieces])
                variable = replace(old, elements={**old.elements, key: joined})
            else:
                before = old.value.pieces if old.value is not None else ()
                variable = Variable(Value([*before, *given.pieces]))
        value = variable.value
        if value is not None and len(value.pieces) == 1 and not value.known and value.text[:2] in ("$(", "`"):
            piece = value.pieces[0]
            use = Reference(name, piece.place, Given.UNKNOWN)
            variable = replace(variable, value=Value([replace(piece, text=f"${{{name}}}", references=(use,))]))
        if (variable.value is not None and len(variable.value.text) > MAX_TEXT) or (
            variable.elements is not None and len(variable.elements) > MAX_ELEMENTS
        ):
            raise TooLong(f"the value of {name} grows beyond what is followed")
        change = variable.change or (old.change if old is not None else None)
        if change and variable.value is not None and variable.value.known:
            text = variable.value.text
            variable = replace(variable, value=variable.value.map(text.lower() if change == "l" else text.upper()))
        self.variables[name] = replace(variable, exported=exported, change=change)

    def _as_integer(self, variable: Variable, added_to: Variable | None) -> Variable:
        """The value of a ``declare -i`` variable: its text as an expression."""
        value = variable.value
        assert value is not None
        before = added_to.scalar() if added_to else None
        if not value.known or (before is not None and not before.known):
            return replace(variable, integer=True)
        number = self.compute(value.text) + (self.compute(before.text) if before is not None else 0)
        return replace(variable, value=value.map(str(number)), integer=True)

    def assign_from(self, assignment: Assignment, *, exported: bool = False, associative: bool = False) -> None:
        old = self.lookup(assignment.name)
        associative = associative or bool(old and old.associative)
        if isinstance(assignment.value, tuple):
            elements: dict[int | str, Value] = {}
            if assignment.append and old is not None:
                elements = dict(old.elements) if old.elements is not None else {0: old.value or Value()}
            following = max((key for key in elements if isinstance(key, int)), default=-1) + 1
            for element in assignment.value:
                if element.subscript is not None:
                    text = expand.text(self, element.subscript).text
                    place: int | str = text if associative else self.compute(text)
                    elements[place] = expand.text(self, element.value)
                    following = place + 1 if isinstance(place, int) else following
                    continue
                for value in expand.fields(self, element.value):
                    elements[following] = value
                    following += 1
            self.assign(assignment.name, Variable(elements=elements, associative=associative, exported=exported))
            return
        value = expand.text(self, assignment.value)
        if assignment.subscript is not None:
            text = expand.text(self, assignment.subscript).text
            key: int | str = text if associative else self.compute(text)
            elements = dict(old.elements or ({} if old.value is None else {0: old.value})) if old else {}
            if assignment.append and key in elements:
                value = Value([*elements[key].pieces, *value.pieces])
            elements[key] = value
            self.assign(assignment.name, Variable(elements=elements, associative=associative, exported=exported))
            return
        self.assign(assignment.name, Variable(value, exported=exported), append=assignment.append)

    def exported(self) -> dict[str, Word | None]:
        """The variables that a started program gets. Those that a shell sets for itself are left out."""
        found: dict[str, Word | None] = dict.fromkeys(self.handed_through)
        for name, variable in self.variables.items():
            value = variable.scalar() if variable.exported and variable.elements is None else None
            if value is not None and name not in ALWAYS_SET:
                found[name] = value.word(self.place(0))
        return found

    # -- conditions and numbers -----------------------------------------------------------------------------------

    def explain(self, yes: str, no: str) -> None:
        """Words for the condition that could not be decided, for the choice that follows."""
        self.reason = (yes, no)

    def suggest(self, name: str, value: str | None, text: str) -> None:
        if name == "#":
            name, value, text = "1", OTHER, "1 is given"
        if name.startswith(filled_in.COMPOSE):
            text = text.replace(name, name.removeprefix(filled_in.COMPOSE)) + " when Compose reads the file"
        ordinals = {"1": "the first argument", "2": "the second argument", "3": "the third argument"}
        if name.isdigit():
            label = ordinals.get(name, f"argument {name}")
            text = (
                text.replace(f"{name}=", f"{label} is ", 1)
                if text.startswith(f"{name}=")
                else label + text[len(name) :]
            )
        self.decisions.suggest(name, value, text)

    def suggest_all(self, inputs: frozenset[str], values: Sequence[tuple[str | None, str]]) -> None:
        """Suggests values for the one outside variable that a condition hangs on."""
        if len(inputs) == 1:
            (name,) = inputs
            for value, text in values:
                self.suggest(name, value, text.replace("{}", name, 1))

    def suggest_flip(self, inputs: frozenset[str], values: Sequence[tuple[str | None, str]]) -> None:
        """Suggests the other side of a comparison of numbers, unless this run assumes something already."""
        if not self.decisions.inputs:
            self.suggest_all(inputs, values)

    def compile(self, parts: Sequence[tuple[str, bool]]) -> re.Pattern[str] | None:
        """A pattern as this shell matches it."""
        return compile_pattern(parts, self.ignores_case)

    def decide(self, verdict: bool | None, yes: str, no: str, offset: int) -> bool:
        if verdict is not None:
            return verdict
        return self.decisions.choose((yes, no), self.place(offset)) == 0

    def compute(self, text: str) -> int:
        """The value of an arithmetic expression. Raises NotComputable where it cannot be known."""

        def read(name: str) -> str:
            base, _, rest = name.partition("[")
            if rest:
                variable = self.variables.get(base)
                index: int | str = rest[:-1] if variable and variable.associative else self.compute(rest[:-1])
                value = variable.element(index) if variable else None
            else:
                value = self.parameter(base, None)
            if value is not None and not value.known:
                raise NotComputable(f"{name} is not known")
            return value.text if value else ""

        def write(name: str, number: int) -> None:
            self.assign(name.partition("[")[0], Variable(self.text_at(str(number), 0)))

        return evaluate(text, read, write)

    def integer(self, word: ShellWord) -> int:
        try:
            return self.compute(expand.text(self, word).text)
        except NotComputable:
            return 0

    def arithmetic_value(self, expression: ShellWord, offset: int, end: int) -> Value:
        """``$((…))`` as a value that depends on what its expression depends on."""
        value = expand.text(self, expression)
        inputs = value.inputs | self._inputs_of(value.text)
        try:
            if not value.known:
                raise NotComputable("part of it is not known")
            return self.text_at(str(self.compute(value.text)), offset, inputs)
        except NotComputable:
            written = self.slice(offset, end)
            return unknown(written, written, self.source, offset, inputs)

    def _inputs_of(self, expression: str) -> frozenset[str]:
        """The outside variables behind the names of an arithmetic expression."""
        found: frozenset[str] = NOTHING
        for name in _NAMES.findall(expression):
            value = self.parameter(name, None)
            found |= value.inputs if value else (frozenset([name]) if self.is_outside(name) else NOTHING)
        return found

    def arithmetic_status(self, expression: ShellWord, offset: int) -> Status:
        value = expand.text(self, expression)
        text = value.text.strip()
        try:
            if not value.known:
                raise NotComputable("part of it is not known")
            number = self.compute(text)
        except NotComputable:
            return Status(None, yes=f"(( {text} ))", no=f"not: (( {text} ))")
        match = _COMPARISON.fullmatch(text)
        inputs = value.inputs | self._inputs_of(text)
        if match:
            operator = {"==": "-eq", "!=": "-ne", "<": "-lt", "<=": "-le", ">": "-gt", ">=": "-ge"}[match.group(2)]
            self.suggest_flip(inputs, conditions.flips(operator, int(match.group(3)), number != 0))
        elif _NAMES.fullmatch(text):
            self.suggest_flip(inputs, conditions.flips("-ne", 0, number != 0))
        return SUCCESS if number else FAILURE
