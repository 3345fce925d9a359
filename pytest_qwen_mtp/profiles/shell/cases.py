"""``case``: which item is taken, and which words would take another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell import expand
from pytest_qwen_mtp.profiles.shell.branches import OTHER
from pytest_qwen_mtp.profiles.shell.state import SUCCESS, Status
from pytest_qwen_mtp.profiles.shell.syntax import Case
from pytest_qwen_mtp.profiles.shell.values import Value

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.interpreter import Shell


def run_case(shell: Shell, command: Case) -> Status:
    """Runs the item whose pattern fits; asks for a decision where the word is not known."""
    value = expand.text(shell, command.word)
    options: list[int] = []
    status = SUCCESS
    if value.known or _is_other_case(shell, command, value):
        chosen = _case_of(shell, command, value)
    else:
        texts, caught = [], False
        other = _is_other(value)
        for index, item in enumerate(command.items):
            patterns = [shell.slice(pattern.offset, pattern.end) for pattern in item.patterns]
            if other:  # what the script names is another way of its own
                patterns = [pattern for pattern in patterns if any(mark in pattern for mark in "*?[(")]
            caught = caught or "*" in patterns
            if patterns:
                texts.append(f"{value.text} is {' or '.join(patterns)}")
                options.append(index)
        if not caught:
            texts.append(f"{value.text} is none of the cases")
        taken = shell.decisions.choose(texts, shell.place(command.offset)) if texts else 0
        chosen = options[taken] if taken < len(options) else None
    while chosen is not None and chosen < len(command.items):
        item = command.items[chosen]
        status = shell.run_list(item.body)
        if item.terminator == ";;":
            break
        chosen = chosen + 1 if item.terminator == ";&" else _case_of(shell, command, value, chosen + 1)
    return status


def _is_other(value: Value) -> bool:
    """Whether the value is assumed to be nothing that the script mentions."""
    return len(value.pieces) == 1 and value.pieces[0].other


def _is_other_case(shell: Shell, command: Case, value: Value) -> bool:
    """Such a value, where the patterns are literals or a lone star."""
    patterns = [shell.slice(word.offset, word.end) for item in command.items for word in item.patterns]
    simple = all(pattern == "*" or not any(mark in pattern for mark in "*?[") for pattern in patterns)
    return simple and _is_other(value)


def _case_of(shell: Shell, command: Case, value: Value, start: int = 0) -> int | None:
    """The first item from ``start`` on that matches; the literal patterns of the others become suggestions."""
    chosen: int | None = None
    mentioned: list[str] = []
    for index, item in enumerate(command.items):
        for word in item.patterns:
            runs, pattern = expand.pattern(shell, word)
            found = shell.compile(runs)
            if index >= start and chosen is None and found and found.fullmatch(value.text):
                chosen = index
            if not any(mark in text for text, quoted in runs if not quoted for mark in "*?["):
                mentioned.append(pattern.text)
    for text in mentioned:
        if text != value.text:
            shell.suggest_all(value.inputs, [(text, "{}=" + text if text else "{} is empty")])
    shell.suggest_all(value.inputs, [(OTHER, "{} is none of " + ", ".join(mentioned))] if mentioned else [])
    return chosen
