"""From a word to its fields: parameters, substitutions, splitting and quote removal, as bash does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell.branches import OTHER
from pytest_qwen_mtp.profiles.shell.patterns import compile_pattern, expand_braces
from pytest_qwen_mtp.profiles.shell.syntax import (
    Arithmetic,
    CommandSubstitution,
    Literal,
    Parameter,
    ProcessSubstitution,
    ShellWord,
)
from pytest_qwen_mtp.profiles.shell.values import Piece, Value, Variable, join, unknown
from pytest_qwen_mtp.profiles.text import Given, Reference

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.state import State

_CASES: dict[str, Callable[[str], str]] = {
    "^": lambda text: text[:1].upper() + text[1:],
    "^^": str.upper,
    ",": lambda text: text[:1].lower() + text[1:],
    ",,": str.lower,
    "@U": str.upper,
    "@L": str.lower,
    "@u": lambda text: text[:1].upper() + text[1:],
    "@Q": lambda text: "'" + text.replace("'", "'\\''") + "'",
}


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of an expanded word. ``value`` None is a border between fields, as between the words of ``"$@"``."""

    value: Value | None
    quoted: bool = False
    split: bool = False


_BORDER = Run(None)


def fields(shell: State, word: ShellWord) -> list[Value]:
    """The fields of ``word`` after all expansions. An unset unquoted variable gives none."""
    return [field for each in expand_braces(word) for field in _fields(shell, each)]


def text(shell: State, word: ShellWord) -> Value:
    """``word`` as one value, without splitting: an assignment's right side, a case word, a redirection target."""
    values: list[Value] = []
    border = False
    for run in _runs(shell, word):
        if run.value is None:
            border = True
            continue
        if border and values:
            values.append(join([values.pop(), run.value], " "))
        else:
            values.append(run.value)
        border = False
    return Value([piece for value in values for piece in value.pieces])


def pattern(shell: State, word: ShellWord) -> tuple[list[tuple[str, bool]], Value]:
    """``word`` as ``(text, quoted)`` runs for matching, and its plain value."""
    runs = [run for run in _runs(shell, word) if run.value is not None]
    value = Value([piece for run in runs if run.value for piece in run.value.pieces])
    return [(run.value.text, run.quoted) for run in runs if run.value is not None], value


def _fields(shell: State, word: ShellWord) -> Iterator[Value]:
    current: list[Piece] | None = None
    for run in _runs(shell, word):
        if run.value is None:
            if current is not None:
                yield Value(current)
                current = None
        elif not run.split:
            current = [*(current or ()), *run.value.pieces]
        else:
            if not run.value.text:
                shell.dropped.extend(run.value.references)
            for index, part in enumerate(_split(run.value, shell.field_separators())):
                if index or (part is None and current is not None):
                    if current is not None:
                        yield Value(current)
                    current = None
                if part is not None:
                    current = [*(current or ()), *part.pieces]
    if current is not None:
        yield Value(current)


def split_fields(value: Value, separators: str) -> Iterator[Value]:
    """The fields of ``value``, as an unquoted expansion gives them."""
    return (part for part in _split(value, separators) if part is not None)


def trimmed(value: Value, separators: str) -> Value:
    """``value`` without the blank separators at its ends, as ``read NAME`` keeps it."""
    blank = "".join(character for character in separators if character in " \t\n")
    start = len(value.text) - len(value.text.lstrip(blank)) if blank else 0
    end = len(value.text.rstrip(blank)) if blank else len(value.text)
    return value.cut(start, max(end, start))


def _split(value: Value, separators: str) -> Iterator[Value | None]:
    """The parts of ``value`` between field separators; None where the value begins or ends with one."""
    if not value.text:
        return
    certain: list[bool] = []
    for piece in value.pieces:
        certain.extend([piece.known] * len(piece.text))
    blank = {character for character in separators if character in " \t\n"}
    hard = set(separators) - blank
    whole = value.text
    position, size = 0, len(whole)

    def is_blank(at: int) -> bool:
        return certain[at] and whole[at] in blank

    while position < size and is_blank(position):
        position += 1
    if position:
        yield None
    while position < size:
        start = position
        while position < size and not (certain[position] and (whole[position] in blank or whole[position] in hard)):
            position += 1
        yield value.cut(start, position)
        if position >= size:
            return
        while position < size and is_blank(position):
            position += 1
        if position < size and certain[position] and whole[position] in hard:
            position += 1
            while position < size and is_blank(position):
                position += 1
        if position >= size:
            yield None


def _runs(shell: State, word: ShellWord) -> Iterator[Run]:
    for index, part in enumerate(word.parts):
        if isinstance(part, Literal):
            if index == 0 and not part.quoted and part.text.startswith("~"):
                yield from _tilde(shell, part)
            else:
                yield Run(shell.literal(part.text, part.offset), part.quoted)
        elif isinstance(part, Parameter):
            yield from _parameter_runs(shell, part)
        elif isinstance(part, CommandSubstitution):
            yield Run(shell.substitute(part.body, part.offset, part.end), part.quoted, not part.quoted)
        elif isinstance(part, Arithmetic):
            yield Run(shell.arithmetic_value(part.expression, part.offset, part.end), part.quoted, not part.quoted)
        elif isinstance(part, ProcessSubstitution):
            yield Run(shell.process_substitution(part.body, part.offset, part.end), True)


def _tilde(shell: State, part: Literal) -> Iterator[Run]:
    name, slash, rest = part.text.partition("/")
    if name == "~":
        yield Run(shell.lookup_value("HOME", part.offset, part.offset + 1), True)
        yield Run(Value([Piece(slash + rest, shell.source, part.offset + 1)]))
    else:
        yield Run(Value([Piece(part.text, shell.source, part.offset)]))


# -- parameters ---------------------------------------------------------------------------------------------------


def _parameter_runs(shell: State, part: Parameter) -> Iterator[Run]:
    many = _list_of(shell, part)
    if many is None:
        yield Run(_scalar(shell, part), part.quoted, not part.quoted)
        return
    values, starred = many
    if starred and part.quoted:
        separators = shell.field_separators()
        yield Run(join(values, separators[:1]), True)
        return
    for index, value in enumerate(values):
        if index:
            yield _BORDER
        yield Run(value, part.quoted, not part.quoted)


def _list_of(shell: State, part: Parameter) -> tuple[list[Value], bool] | None:
    """The elements where the parameter stands for many (``$@``, ``${a[*]}``, ``${!a[@]}``), and whether by a star."""
    mark = part.subscript.literal() if part.subscript else None
    if part.prefix == "!" and part.subscript is None and part.name[-1:] in "*@" and len(part.name) > 1:
        names = sorted(name for name in shell.variables if name.startswith(part.name[:-1]))
        return [shell.text_at(name, part.offset) for name in names], part.name.endswith("*")
    if part.name in ("@", "*") and part.subscript is None:
        values, starred = list(shell.parameters), part.name == "*"
        if part.prefix == "#":
            return None
    elif mark in ("@", "*"):
        variable = shell.lookup(part.name)
        if part.prefix == "#":
            return None
        if part.prefix == "!":
            keys = list(variable.elements or ()) if variable else []
            return [shell.text_at(str(key), part.offset) for key in keys], mark == "*"
        values, starred = (variable.all() if variable else []), mark == "*"
    elif part.prefix == "!" and part.subscript is None:
        target = shell.lookup(part.name)
        name = (target.scalar() or Value()).text if target else ""
        if not name.endswith(("[@]", "[*]")):
            return None
        variable = shell.lookup(name[:-3])
        values, starred = (variable.all() if variable else []), name.endswith("[*]")
    else:
        return None
    operator = part.operator
    if operator == ":" and part.argument is not None:
        first = shell.integer(part.argument)
        if part.name == "@" or part.name == "*":
            values = [shell.name_zero(), *values] if first == 0 else values
            first = first - 1 if first > 0 else first
        begin = first if first >= 0 else max(len(values) + first, 0)
        end = len(values) if part.second is None else begin + max(shell.integer(part.second), 0)
        return values[begin:end], starred
    if operator in (":-", "-", ":+", "+", ":=", "=", ":?", "?"):
        present = any(value.text for value in values) if operator.startswith(":") else bool(values)
        if operator[-1] == "+":
            return ([text(shell, part.argument)] if present and part.argument else []), starred
        if not present and part.argument is not None and operator[-1] in "-=":
            return fields(shell, part.argument), starred
        return values, starred
    return [_transform(shell, part, value) for value in values], starred


def _scalar(shell: State, part: Parameter) -> Value:
    if part.prefix == "#":
        return _length(shell, part)
    name, subscript = part.name, part.subscript
    if part.prefix == "!":
        target = shell.lookup_value(name, part.offset, part.end)
        if not target.known or not target.text:
            return target
        name = target.text
    value = shell.parameter(name, subscript)
    if part.operator and part.operator.lstrip(":") in ("-", "=", "?", "+") and part.operator != ":":
        return _conditional(shell, part, name, value)
    if value is None:
        value = shell.unset(name, part.offset, part.end)
    return _transform(shell, part, value)


def _length(shell: State, part: Parameter) -> Value:
    mark = part.subscript.literal() if part.subscript else None
    if part.name in ("@", "*") and part.subscript is None:
        return shell.text_at(str(len(shell.parameters)), part.offset)
    if mark in ("@", "*"):
        variable = shell.lookup(part.name)
        return shell.text_at(str(len(variable.all()) if variable else 0), part.offset)
    value = shell.parameter(part.name, part.subscript) or Value()
    if not value.known:
        return unknown(shell.slice(part.offset, part.end), part.name, shell.source, part.offset, value.inputs)
    return value.map(str(len(value.text))) if value.pieces else shell.text_at("0", part.offset)


def _conditional(shell: State, part: Parameter, name: str, value: Value | None) -> Value:
    """``${a:-b}`` and its kin: ``value`` is None where the variable is unset."""
    operator, argument = part.operator, part.argument or ShellWord((), part.end, part.end)
    colon = operator.startswith(":")
    outside = shell.is_outside(name) and not (part.operator[-1] == "+" and shell.is_own(name))
    if value is None or (colon and not value.text and value.known):
        present = False
    elif colon and not value.known and not value.filled:
        present = shell.decide(None, f"{name} is not empty", f"{name} is empty", part.offset)
    else:
        present = True
    dependent = value.inputs if value else (frozenset([name]) if outside else frozenset())
    if operator[-1] == "+":
        if outside and not present:
            shell.suggest(name, OTHER, f"{name} is set")
        elif dependent and present:
            shell.suggest_all(dependent, [("", "{} is empty")])
        return _depend(text(shell, argument), dependent) if present else _empty(shell, part, dependent)
    if present and value is not None:
        return value
    if operator[-1] == "?":
        return shell.required(name, part.offset, dependent)
    if outside and _ends_early(argument):
        shell.suggest(name, OTHER, f"{name} is set")
    given = text(shell, argument)
    if outside or dependent:
        use = Reference(name, shell.source.place(part.offset), Given.DEFAULT, given.place())
        given = _depend(given, dependent | ({name} if outside else frozenset()), use)
        if not given.pieces:
            given = Value([Piece("", shell.source, part.offset, (use,), dependent)])
    if operator[-1] == "=":
        shell.assign(name, Variable(given))
    return given


def _ends_early(argument: ShellWord) -> bool:
    """A default with an open brace: the shell ended it at the first closing one, and the rest always stands there."""
    plain = "".join(part.text for part in argument.parts if isinstance(part, Literal))
    return plain.count("{") > plain.count("}")


def _empty(shell: State, part: Parameter, inputs: frozenset[str]) -> Value:
    return Value([Piece("", shell.source, part.offset, (), inputs)])


def _depend(value: Value, inputs: frozenset[str], use: Reference | None = None) -> Value:
    if not inputs and use is None:
        return value
    extra = (use,) if use else ()
    return Value(
        [replace(each, inputs=each.inputs | inputs, references=each.references + extra) for each in value.pieces]
    )


def _transform(shell: State, part: Parameter, value: Value) -> Value:
    """Pattern removal and replacement, substrings and case, on one value."""
    operator = part.operator
    if not operator or (operator == ":" and part.argument is None):
        return value
    if not value.known:
        name = part.name
        return unknown(shell.slice(part.offset, part.end), name, shell.source, part.offset, value.inputs)
    whole = value.text
    if operator == ":" and part.argument is not None:
        first = shell.integer(part.argument)
        begin = first if first >= 0 else max(len(whole) + first, 0)
        if part.second is None:
            return value.cut(begin)
        size = shell.integer(part.second)
        return value.cut(begin, begin + size if size >= 0 else max(len(whole) + size, begin))
    if part.argument is None:
        return value
    if operator == "@":
        change = _CASES.get("@" + part.argument.parts[0].text if isinstance(part.argument.parts[0], Literal) else "")
        return value.map(change(whole)) if change else value
    if operator in _CASES:
        return value.map(_CASES[operator](whole))
    runs, _ = pattern(shell, part.argument)
    if operator in ("#", "##"):
        found = compile_pattern(runs, greedy=operator == "##")
        match = found.match(whole) if found else None
        return value.cut(match.end()) if match else value
    if operator in ("%", "%%"):
        found = compile_pattern(runs)
        starts = range(len(whole) + 1) if operator == "%%" else range(len(whole), -1, -1)
        cut = next((at for at in starts if found and found.fullmatch(whole, at)), None)
        return value if cut is None else value.cut(0, cut)
    return _replace(shell, part, value, runs)


def _replace(shell: State, part: Parameter, value: Value, runs: list[tuple[str, bool]]) -> Value:
    found = compile_pattern(runs)
    by = text(shell, part.second) if part.second else Value()
    if found is None or not any(text for text, _ in runs):
        return value
    pieces: list[Piece] = []
    position, whole = 0, value.text
    anchored = part.operator in ("/#", "/%")
    while position <= len(whole):
        if part.operator == "/#":
            match = found.match(whole) if position == 0 else None
        elif part.operator == "/%":
            match = next((m for at in range(len(whole) + 1) if (m := found.fullmatch(whole, at))), None)
        else:
            match = found.search(whole, position)
        if match is None or (match.end() == match.start() and not anchored):
            break
        pieces.extend(value.cut(position, match.start()).pieces)
        pieces.extend(by.pieces)
        position = match.end()
        if part.operator != "//":
            break
    pieces.extend(value.cut(position).pieces if position < len(whole) else ())
    return Value(pieces) if pieces else value.map("")
