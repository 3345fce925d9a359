"""``$name`` and ``${name…}``: which value, which part of it, and what stands there when it is unset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell import expand
from pytest_qwen_mtp.profiles.shell.branches import OTHER
from pytest_qwen_mtp.profiles.shell.limits import MAX_TEXT, TooLong
from pytest_qwen_mtp.profiles.shell.runs import BORDER, Run
from pytest_qwen_mtp.profiles.shell.syntax import Literal, Parameter, ShellWord
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


def runs(shell: State, part: Parameter) -> Iterator[Run]:
    """What a parameter expands to: one run, or several with borders where it stands for many."""
    many = _list_of(shell, part)
    if many is None:
        yield from _scalar(shell, part)
        return
    values, starred = many
    operator, argument = part.operator, part.argument or ShellWord((), part.end, part.end)
    if operator in (":-", "-", ":+", "+", ":=", "=", ":?", "?"):
        present = any(value.text for value in values) if operator.startswith(":") else bool(values)
        if operator[-1] == "+":
            yield from _filled_in(shell, part, argument, frozenset()) if present else ()
            return
        if not present and operator[-1] in "-=":
            yield from _filled_in(shell, part, argument, frozenset())
            return
    if starred and part.quoted:
        separators = shell.field_separators()
        yield Run(join(values, separators[:1]), True)
        return
    for index, value in enumerate(values):
        if index:
            yield BORDER
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
            keys = variable.keys() if variable else []
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
        return values, starred
    return [_transform(shell, part, value) for value in values], starred


def _scalar(shell: State, part: Parameter) -> list[Run]:
    if part.prefix == "#":
        return [_plain(part, _length(shell, part))]
    name, subscript = part.name, part.subscript
    if part.prefix == "!":
        target = shell.lookup_value(name, part.offset, part.end)
        if not target.known or not target.text:
            return [_plain(part, target)]
        name = target.text
    value = shell.parameter(name, subscript)
    if part.operator and part.operator.lstrip(":") in ("-", "=", "?", "+"):
        return _conditional(shell, part, name, value)
    if value is None:
        value = shell.unset(name, part.offset, part.end)
    return [_plain(part, _transform(shell, part, value))]


def _plain(part: Parameter, value: Value) -> Run:
    return Run(value, part.quoted, not part.quoted)


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


def _conditional(shell: State, part: Parameter, name: str, value: Value | None) -> list[Run]:
    """``${a:-b}`` and its kin: ``value`` is None where the variable is unset."""
    operator, argument = part.operator, part.argument or ShellWord((), part.end, part.end)
    colon = operator.startswith(":")
    outside = shell.is_outside(name) and not (operator[-1] == "+" and shell.is_own(name))
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
        return (
            _filled_in(shell, part, argument, dependent) if present else [_plain(part, _empty(shell, part, dependent))]
        )
    if present and value is not None:
        return [_plain(part, value)]
    if operator[-1] == "?":
        return [_plain(part, shell.required(name, part.offset, dependent))]
    if outside and _ends_early(argument):
        shell.suggest(name, OTHER, f"{name} is set")
    use = Reference(name, shell.source.place(part.offset), Given.DEFAULT) if outside or dependent else None
    found = _filled_in(shell, part, argument, dependent | ({name} if outside else frozenset()), use)
    if operator[-1] == "=":
        given = Value([piece for run in found if run.value for piece in run.value.pieces])
        shell.assign(name, Variable(given))
        return [_plain(part, given)]
    return found


def _filled_in(
    shell: State, part: Parameter, argument: ShellWord, inputs: frozenset[str], use: Reference | None = None
) -> list[Run]:
    """The word behind the operator: what is quoted in it stays together, the rest is split with the parameter."""
    found = []
    for run in expand.expanded(shell, argument):
        if run.value is None:
            found.append(run)
            continue
        quoted = part.quoted or run.quoted
        found.append(Run(_depend(run.value, inputs, use), quoted, not quoted))
    return found or [_plain(part, Value([Piece("", shell.source, part.offset, (use,) if use else (), inputs)]))]


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
        begin = first if first >= 0 else len(whole) + first
        if not 0 <= begin <= len(whole):
            return value.map("")
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
    wanted, _ = expand.pattern(shell, part.argument)
    found = shell.compile(wanted)
    if operator[0] in "#%" and found is not None:
        size = len(whole)
        if operator[0] == "#":
            ends = range(size + 1) if operator == "#" else range(size, -1, -1)
            cut = next((at for at in ends if found.fullmatch(whole, 0, at)), None)
            return value if cut is None else value.cut(cut)
        starts = range(size, -1, -1) if operator == "%" else range(size + 1)
        cut = next((at for at in starts if found.fullmatch(whole, at)), None)
        return value if cut is None else value.cut(0, cut)
    return _replace(shell, part, value, wanted)


def _replace(shell: State, part: Parameter, value: Value, pattern: list[tuple[str, bool]]) -> Value:
    found = shell.compile(pattern)
    by = expand.text(shell, part.second) if part.second else Value()
    anchored = part.operator in ("/#", "/%")
    if found is None or (not anchored and not any(text for text, _ in pattern)):
        return value
    pieces: list[Piece] = []
    position, whole = 0, value.text
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
        if len(pieces) * max(len(by.text), 1) > MAX_TEXT:
            raise TooLong("a replacement grows beyond what is followed")
        position = match.end()
        if part.operator != "//":
            break
    pieces.extend(value.cut(position).pieces if position < len(whole) else ())
    return Value(pieces) if pieces else value.map("")
