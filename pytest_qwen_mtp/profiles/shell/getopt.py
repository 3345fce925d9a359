"""``getopt``: a script's arguments in their normal order, as util-linux 2.39 prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_qwen_mtp.profiles.shell.state import FAILURE, SUCCESS, Status
from pytest_qwen_mtp.profiles.shell.values import Value

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.shell.interpreter import Shell

_WITH_VALUE = ("-o", "--options", "-l", "--long", "--longoptions", "-n", "--name", "-s", "--shell")


def getopt(shell: Shell, words: list[Value], offset: int) -> Status:
    """``getopt -o SHORT --long LONG -- ARGUMENTS``: unknown output where an argument is unknown or refused."""
    short, long, index = "", [], 1
    while index < len(words) and words[index].text.startswith("-") and words[index].text != "--":
        name, equals, value = words[index].text.partition("=")
        if not equals and name in _WITH_VALUE and index + 1 < len(words):
            index += 1
            value = words[index].text
        elif not name.startswith("--") and name[:2] in _WITH_VALUE:
            name, value = name[:2], name[2:]
        short = value if name in ("-o", "--options") else short
        long += value.split(",") if name in ("-l", "--long", "--longoptions") else []
        index += 1
    arguments = words[index + 1 :]
    made = _ordered(short.lstrip("+-"), long, [word.text for word in arguments])
    if made is None or not all(word.known for word in arguments):
        shell.emit_unknown("$(getopt)", "getopt", offset)
        return Status(None, program=True) if made is not None else FAILURE
    inputs = frozenset().union(*(word.inputs for word in arguments)) if arguments else frozenset("#")
    shell.emit(shell.text_at("".join(f" {word}" for word in made) + "\n", offset, inputs))
    return SUCCESS


def _ordered(short: str, long: list[str], arguments: list[str]) -> list[str] | None:
    """Options with their values, ``--``, the rest; None where getopt would refuse."""
    options: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            rest.extend(waiting)
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            found = next((each for each in long if each.rstrip(":") == name), None)
            found = found or next((each for each in long if each.startswith(name)), None)
            if found is None:
                return None
            options.append(f"--{found.rstrip(':')}")
            if found.endswith("::"):
                options.append(_quoted(value))
            elif found.endswith(":"):
                if not equals and not waiting:
                    return None
                options.append(_quoted(value if equals else waiting.pop(0)))
        elif word.startswith("-") and len(word) > 1:
            at = 1
            while at < len(word):
                place = short.find(word[at])
                if place == -1 or word[at] == ":":
                    return None
                options.append(f"-{word[at]}")
                at += 1
                if short[place + 1 : place + 3] == "::":
                    options.append(_quoted(word[at:]))
                    break
                if short[place + 1 : place + 2] == ":":
                    if at == len(word) and not waiting:
                        return None
                    options.append(_quoted(word[at:] if at < len(word) else waiting.pop(0)))
                    break
        else:
            rest.append(word)
    return [*options, "--", *map(_quoted, rest)]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
