"""``for``, ``while`` and ``until``, followed as far as a launcher needs it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell import expand
from pytest_qwen_mtp.profiles.shell.control import Broken, Ended
from pytest_qwen_mtp.profiles.shell.state import SUCCESS, Status
from pytest_qwen_mtp.profiles.shell.syntax import ArithmeticFor, CommandList, For, While
from pytest_qwen_mtp.profiles.shell.values import Variable

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.interpreter import Shell

MAX_LOOP = 500


def run_for(shell: Shell, command: For) -> Status:
    if command.words is None:
        values = list(shell.parameters)
    else:
        values = [field for word in command.words for field in expand.fields(shell, word)]
    for value in values[:MAX_LOOP]:
        shell.assign(command.name, Variable(value))
        if not _round(shell, command.body):
            break
    if len(values) > MAX_LOOP:
        shell.note(f"a loop of more than {MAX_LOOP} rounds was cut short", command.offset)
    return SUCCESS


def run_arithmetic_for(shell: Shell, command: ArithmeticFor) -> Status:
    shell.arithmetic_status(command.start, command.offset)
    for _ in range(MAX_LOOP):
        written = expand.text(shell, command.condition).text.strip()
        if written and shell.arithmetic_status(command.condition, command.offset).code != 0:
            return SUCCESS
        if not _round(shell, command.body):
            return SUCCESS
        shell.arithmetic_status(command.update, command.offset)
    shell.note(f"a loop of more than {MAX_LOOP} rounds was cut short", command.offset)
    return SUCCESS


def run_while(shell: Shell, command: While) -> Status:
    """A loop whose condition is a program's affair waits for something and does nothing else of interest.

    An endless loop restarts what it starts: one round shows all of it.
    """
    for _ in range(MAX_LOOP):
        before = _progress(shell)
        status = shell.guarded(partial(shell.run_list, command.condition))
        if status.code is None:
            return SUCCESS
        if (status.code == 0) == command.until:
            return SUCCESS
        if not _round(shell, command.body):
            return SUCCESS
        if before == _progress(shell):
            raise Ended(SUCCESS)
    shell.note(f"a loop of more than {MAX_LOOP} rounds was cut short", command.offset)
    return SUCCESS


def _progress(shell: Shell) -> tuple[object, ...]:
    """What a further round could depend on."""
    variables = {name: value for name, value in shell.variables.items() if name != "PIPESTATUS"}
    return variables, len(shell.parameters), shell.input and len(shell.input)


def _round(shell: Shell, body: CommandList) -> bool:
    """One round; False where the loop is left."""
    shell.loops += 1
    try:
        shell.run_list(body)
    except Broken as broken:
        if broken.levels > 1:
            raise Broken(broken.levels - 1, broken.again) from None
        return broken.again
    finally:
        shell.loops -= 1
    return True
