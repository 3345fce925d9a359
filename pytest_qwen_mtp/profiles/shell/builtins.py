"""Commands that the shell runs itself: variables, input, control."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell import conditions, expand
from pytest_qwen_mtp.profiles.shell.control import Broken, Ended, Returned
from pytest_qwen_mtp.profiles.shell.filters import FILTERS, Builtin
from pytest_qwen_mtp.profiles.shell.output import echo, printf
from pytest_qwen_mtp.profiles.shell.parser import Parser
from pytest_qwen_mtp.profiles.shell.state import FAILURE, SUCCESS, Status
from pytest_qwen_mtp.profiles.shell.syntax import Assignment, ShellWord, Simple
from pytest_qwen_mtp.profiles.shell.values import Value, Variable, join

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.interpreter import Shell

DECLARATIONS = {"export", "declare", "typeset", "local", "readonly"}


def _read(shell: Shell, words: list[Value], offset: int) -> Status:
    names, array, whole = [], None, False
    index = 1
    while index < len(words):
        text = words[index].text
        if text in ("-a", "-p", "-d", "-n", "-N", "-t", "-u", "-i"):
            argument = words[index + 1].text if index + 1 < len(words) else ""
            array = argument if text == "-a" else array
            whole = whole or (text == "-d" and argument in ("", "\0"))
            index += 1
        elif text.startswith("-") and len(text) > 1:
            array = words[index + 1].text if text.endswith("a") and index + 1 < len(words) else array
            whole = whole or text.endswith("d")
            index += 1 if text[-1] in "adp" else 0
        else:
            names.append(text)
        index += 1
    if shell.input is None:
        for name in names or ["REPLY"]:
            shell.assign(name, Variable(shell.unknown_input(name, offset)))
        return Status(None, program=True)
    if not shell.input:
        for name in names:
            shell.assign(name, Variable(shell.text_at("", offset)))
        return FAILURE
    if whole:
        line = join(shell.input, "\n")
        shell.input = []
        shell.assign(names[0] if names else "REPLY", Variable(line))
        return FAILURE
    line, shell.input = shell.input[0], shell.input[1:]
    parts = list(expand.split_fields(line, shell.field_separators()))
    if array is not None:
        shell.assign(array, Variable(elements=dict(enumerate(parts))))
    elif not names:
        shell.assign("REPLY", Variable(line))
    elif len(names) == 1:
        shell.assign(names[0], Variable(expand.trimmed(line, shell.field_separators())))
    else:
        for at, name in enumerate(names[:-1]):
            shell.assign(name, Variable(parts[at] if at < len(parts) else shell.text_at("", offset)))
        rest = parts[len(names) - 1 :]
        shell.assign(names[-1], Variable(join(rest, " ") if rest else shell.text_at("", offset)))
    return SUCCESS


def _map_file(shell: Shell, words: list[Value], offset: int) -> Status:
    name = next((word.text for word in words[1:] if not word.text.startswith("-")), "MAPFILE")
    if shell.input is None:
        shell.assign(name, Variable(shell.unknown_input(name, offset)))
        return Status(None, program=True)
    shell.assign(name, Variable(elements=dict(enumerate(shell.input))))
    shell.input = []
    return SUCCESS


# -- variables ----------------------------------------------------------------------------------------------------


def declare(shell: Shell, command: Simple, name: str) -> Status:
    """``export``, ``declare``, ``local``, ``readonly``, with assignments that are not split into fields."""
    flags = ""
    exported = name == "export"
    local = name in ("local", "declare", "typeset") and shell.scope is not None
    for index, word in enumerate(command.words[1:], start=1):
        assignment = command.declared.get(index)
        if assignment is not None:
            if local and "g" not in flags:
                shell.make_local(assignment.name)
            if "n" in flags and name != "export" and not isinstance(assignment.value, tuple):
                target = expand.text(shell, assignment.value).text
                shell.variables[assignment.name] = Variable(stands_for=target)
                continue
            changes = [letter for letter in flags if letter in "lu"]
            if "i" in flags or changes:
                shell.assign(assignment.name, Variable(integer="i" in flags, change=changes[-1] if changes else None))
            if {"a", "A"} & set(flags) and not isinstance(assignment.value, tuple):
                assignment = _array_in_text(shell, assignment)
            shell.assign_from(assignment, exported=exported or "x" in flags, associative="A" in flags)
            continue
        for value in expand.fields(shell, word):
            text, equals, _ = value.text.partition("=")
            if not value.known and not (value.pieces[0].known and equals):
                shell.note(f"variables that {value.text} sets", word.offset)
                continue
            if not equals and text[:1] in "-+" and text:
                flags += text[1:] if text[0] == "-" else ""
                exported = exported and "n" not in text
                continue
            if local and "g" not in flags:
                shell.make_local(text)
            if equals:
                shell.assign(text, Variable(value.cut(len(text) + 1), exported=exported or "x" in flags))
                continue
            old = shell.lookup(text)
            if name == "export" and old is not None:
                shell.variables[text] = replace(old, exported="n" not in flags)
            elif "i" in flags and old is None:
                shell.assign(text, Variable(integer=True))
            elif "A" in flags and (old is None or not old.associative):
                shell.assign(text, Variable(elements={}, associative=True))
            elif "a" in flags and old is None:
                shell.assign(text, Variable(elements={}))
    return SUCCESS


def _array_in_text(shell: Shell, assignment: Assignment) -> Assignment:
    """``declare -a x='(a b)'``: the text is read as an array once more."""
    assert isinstance(assignment.value, ShellWord)
    text = expand.text(shell, assignment.value).text
    if not (text.startswith("(") and text.endswith(")")):
        return assignment
    # Blanks in front give the elements the place of the text.
    return replace(assignment, value=Parser(" " * assignment.value.offset + text, assignment.value.offset).read_array())


def _unset(shell: Shell, words: list[Value], offset: int) -> Status:
    for word in words[1:]:
        text = word.text
        element = re.fullmatch(r"(\w+)\[(.+)\]", text)
        variable = shell.lookup(element.group(1)) if element else None
        if element and variable and variable.elements is not None:
            key: int | str = element.group(2) if variable.associative else shell.compute(element.group(2))
            rest = {each: value for each, value in variable.elements.items() if each != key}
            shell.variables[element.group(1)] = replace(variable, elements=rest)
        elif not text.startswith("-"):
            shell.variables.pop(text, None)
            shell.functions.pop(text, None)
    return SUCCESS


def _set_options(shell: Shell, words: list[Value], offset: int) -> Status:
    index = 1
    while index < len(words):
        text = words[index].text
        if text == "--":
            shell.parameters = words[index + 1 :]
            return SUCCESS
        if text in ("", "-", "+") or text[0] not in "-+":
            shell.parameters = words[index:]
            return SUCCESS
        on = text[0] == "-"
        named = {"u": "nounset", "a": "allexport", "e": "errexit"}
        options = [named[letter] for letter in text[1:] if letter in named]
        if "o" in text[1:]:
            index += 1
            options.extend(word.text for word in words[index : index + 1])
        for option in options:
            if option in ("nounset", "allexport", "errexit", "pipefail"):
                setattr(shell, option, on)
        index += 1
    return SUCCESS


def _shopt(shell: Shell, words: list[Value], offset: int) -> Status:
    texts = [word.text for word in words[1:]]
    if "nocasematch" in texts and texts[0] in ("-s", "-u"):
        shell.ignores_case = texts[0] == "-s"
    return SUCCESS


def _shift(shell: Shell, words: list[Value], offset: int) -> Status:
    count = shell.compute(words[1].text) if len(words) > 1 else 1
    if count > len(shell.parameters):
        return FAILURE
    shell.parameters = shell.parameters[count:]
    return SUCCESS


def _let(shell: Shell, words: list[Value], offset: int) -> Status:
    number = 0
    for word in words[1:]:
        number = shell.compute(word.text)
    return SUCCESS if number else FAILURE


def _getopts(shell: Shell, words: list[Value], offset: int) -> Status:
    if len(words) < 3:
        return FAILURE
    wanted, name = words[1].text, words[2].text
    arguments = words[3:] or shell.parameters
    index, inside = shell.option_state
    if index > len(arguments) or not re.match(r"-.", arguments[index - 1].text) or arguments[index - 1].text == "--":
        shell.assign(name, Variable(shell.text_at("?", offset)))
        shell.assign("OPTIND", Variable(shell.text_at(str(index), offset)))
        return FAILURE
    argument = arguments[index - 1]
    letter = argument.text[inside : inside + 1] or "?"
    at = wanted.find(letter)
    takes = at != -1 and wanted[at + 1 : at + 2] == ":"
    if takes and len(argument.text) > inside + 1:
        shell.assign("OPTARG", Variable(argument.cut(inside + 1)))
        shell.option_state = (index + 1, 1)
    elif takes:
        given = arguments[index] if index < len(arguments) else shell.text_at("", offset)
        shell.assign("OPTARG", Variable(given))
        shell.option_state = (index + 2, 1)
    else:
        more = len(argument.text) > inside + 1
        shell.option_state = (index, inside + 1) if more else (index + 1, 1)
    shell.assign(name, Variable(shell.text_at(letter if at != -1 else "?", offset)))
    shell.assign("OPTIND", Variable(shell.text_at(str(shell.option_state[0]), offset)))
    return SUCCESS


# -- control ------------------------------------------------------------------------------------------------------


def _test(shell: Shell, words: list[Value], offset: int) -> Status:
    operands = words[1:-1] if words[0].text == "[" else words[1:]
    shell.reason = None
    verdict = conditions.classic(shell, operands)
    return shell.verdict_status(verdict, " ".join(word.text for word in operands))


def _change_directory(shell: Shell, words: list[Value], offset: int) -> Status:
    targets = [word for word in words[1:] if not word.text.startswith("-") or word.text == "-"]
    if not targets or not targets[0].known or targets[0].text == "-":
        shell.directory = None
    else:
        shell.directory = shell.absolute(targets[0].text)
    return SUCCESS


def _source(shell: Shell, words: list[Value], offset: int) -> Status:
    if len(words) < 2:
        return FAILURE
    path = shell.absolute(words[1].text) if words[1].known else None
    found = shell.files.read(path) if path else None
    if found is None:
        shell.note(f"{words[1].text}, which is read in here, is not among the files", offset)
        if not shell.guards and _holds_values(shell, words[1].text, path):
            shell.lacks_values = True
        return SUCCESS
    return shell.source_text(found, words[2:])


def _holds_values(shell: Shell, written: str, path: str | None) -> bool:
    """Whether a missing file is one of the script's own, without which its variables have no value."""
    name = written.rpartition("/")[2]
    if name == "activate" or (path or written) in shell.tested:
        return False
    folder = shell.directory
    return name.endswith(".env") or (path is not None and folder is not None and path.startswith(f"{folder}/"))


def _eval(shell: Shell, words: list[Value], offset: int) -> Status:
    value = join(words[1:], " ")
    first = next((piece for piece in value.pieces if piece.text.strip()), None)
    if first is not None and not first.known:
        shell.note("`eval` of a text that is not known", offset)
        return Status(None, program=True)
    return shell.nested(partial(shell.run_text, value.source())) if first is not None else SUCCESS


def _command(shell: Shell, words: list[Value], offset: int) -> Status:
    rest = words[1:]
    if rest and re.fullmatch(r"-[vVp]+", rest[0].text):
        if "p" not in rest[0].text:
            return _which(shell, words, offset)
        rest = rest[1:]
    return shell.call_program(rest, offset) if rest else SUCCESS


def _which(shell: Shell, words: list[Value], offset: int) -> Status:
    name = words[-1].text
    shell.emit_unknown(f"$({' '.join(word.text for word in words)})", name, offset)
    return Status(None, program=True, yes=f"{name} is installed", no=f"{name} is not installed")


def _exit(shell: Shell, words: list[Value], offset: int) -> Status:
    raise Ended(_given_status(shell, words))


def _given_status(shell: Shell, words: list[Value]) -> Status:
    """The status that ``exit`` and ``return`` name; the last one where they name none."""
    if len(words) < 2:
        return shell.last
    if not words[1].known:
        return Status(None, program=True)
    text = words[1].text.strip()
    return Status(int(text) % 256) if re.fullmatch(r"-?\d+", text) else Status(2)


def _exec(shell: Shell, words: list[Value], offset: int) -> Status:
    rest = words[1:]
    while rest and re.fullmatch(r"-[cl]+|-a", rest[0].text):
        rest = rest[2:] if rest[0].text == "-a" else rest[1:]
    if not rest:
        return SUCCESS
    raise Ended(shell.call_program(rest, offset))


def _return(shell: Shell, words: list[Value], offset: int) -> Status:
    if not shell.calls:
        return FAILURE  # bash refuses it outside of a function, and goes on
    raise Returned(_given_status(shell, words))


def _leave_loop(again: bool) -> Builtin:
    def builtin(shell: Shell, words: list[Value], offset: int) -> Status:
        if not shell.loops:
            return SUCCESS
        raise Broken(max(int(words[1].text), 1) if len(words) > 1 and words[1].text.isdigit() else 1, again)

    return builtin


def _nothing(shell: Shell, words: list[Value], offset: int) -> Status:
    return SUCCESS


def _fail(shell: Shell, words: list[Value], offset: int) -> Status:
    return FAILURE


BUILTINS: dict[str, Builtin] = {
    **FILTERS,
    "echo": echo,
    "printf": printf,
    "read": _read,
    "mapfile": _map_file,
    "readarray": _map_file,
    "unset": _unset,
    "set": _set_options,
    "shift": _shift,
    "let": _let,
    "getopts": _getopts,
    "test": _test,
    "[": _test,
    "cd": _change_directory,
    "pushd": _change_directory,
    "source": _source,
    ".": _source,
    "eval": _eval,
    "command": _command,
    "builtin": _command,
    "which": _which,
    "type": _which,
    "hash": _which,
    "exit": _exit,
    "exec": _exec,
    "return": _return,
    "break": _leave_loop(again=False),
    "continue": _leave_loop(again=True),
    ":": _nothing,
    "true": _nothing,
    "false": _fail,
    "trap": _nothing,
    "wait": _nothing,
    "shopt": _shopt,
    "ulimit": _nothing,
    "umask": _nothing,
    "alias": _nothing,
    "popd": _nothing,
    "disown": _nothing,
    "jobs": _nothing,
}
