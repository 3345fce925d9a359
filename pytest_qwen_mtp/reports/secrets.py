"""Keys and tokens that a deployment file holds, kept out of everything that is printed or written."""

from __future__ import annotations

import re
from collections.abc import Sequence

HIDDEN = "***"
_NAMES = "API_?KEYS?|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|ACCESS_KEY|PRIVATE_KEY"
_NAME = re.compile(rf"(?:^|_)(?:{_NAMES})$", re.IGNORECASE)
_OPTION = re.compile(r"--?(?:[\w-]*-)?(?:api[-_]key|hf[-_]token|admin[-_]api[-_]key|password|secret)$", re.IGNORECASE)
_WELL_KNOWN = re.compile(r"\b(?:hf_[A-Za-z0-9]{16,}|sk-[\w-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16})\b")
_IN_LINE = re.compile(
    rf"((?:--(?:[\w-]*-)?(?:api[-_]key|hf[-_]token)[= ]+|\b(?:[A-Z0-9_]*_)?(?:{_NAMES})[\"']?\s*[=:]\s*)[\"']?)"
    r"(?![$\"'\s])([^\s\"',}]+)"
)


def hide_value(name: str, value: str) -> str:
    """The value of a variable; hidden where its name or its form says that it is a secret. References stay."""
    if value and _NAME.search(name) and not value.startswith("$"):
        return HIDDEN
    return _WELL_KNOWN.sub(HIDDEN, value)


def hide_words(words: Sequence[str]) -> list[str]:
    """The words of a command without the values of options that take a secret."""
    found: list[str] = []
    after = False
    for word in words:
        option, equals, value = word.partition("=")
        if after and not word.startswith("-") and not word.startswith("$"):
            found.append(HIDDEN)
        elif equals and value and _OPTION.match(option) and not value.startswith("$"):
            found.append(f"{option}={HIDDEN}")
        else:
            found.append(_WELL_KNOWN.sub(HIDDEN, word))
        after = bool(_OPTION.match(word)) or (after and not word.startswith("-"))
    return found


def hide_line(line: str) -> str:
    """A line of a file, as it is quoted below a finding. Its length stays, so that a caret keeps its column."""
    line = _WELL_KNOWN.sub(lambda match: "*" * len(match.group()), line)
    return _IN_LINE.sub(lambda match: match.group(1) + "*" * len(match.group(2)), line)
