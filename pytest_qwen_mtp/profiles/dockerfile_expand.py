"""Variables in a Dockerfile word, as the builder fills them in (Dockerfile reference, "Environment replacement").

BuildKit's ``frontend/dockerfile/shell`` knows ``$A``, ``${A}``, ``${A:-b}``, ``${A-b}``, ``${A:+b}``, ``${A+b}``,
``${A:?m}``, ``${A?m}``, ``${A#p}``, ``${A##p}``, ``${A%p}``, ``${A%%p}``, ``${A/p/r}`` and ``${A//p/r}``. Parameters
such as ``$1`` and ``$@`` are always unset. Single quotes keep everything, an escape keeps the next character.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.dockerfile_lines import cut
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given, Reference, SourceText

_NAME = re.compile(r"\d+|[@*#?$!-]|\w+")
_DEEPEST = 50
_LONGEST = 100_000
_PLATFORM_ARGS = frozenset(
    f"{side}{part}" for side in ("TARGET", "BUILD") for part in ("PLATFORM", "OS", "ARCH", "VARIANT", "OSVERSION")
)


class Malformed(Exception):
    """A word that the builder refuses: an open quote or brace, an unknown operator. ``place`` is where it stands."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True, slots=True)
class Scope:
    """The variables in force: a Word, or None for one that is declared without a value."""

    values: Mapping[str, Word | None]
    escape: str = "\\"


def split_words(text: SourceText, escape: str = "\\") -> list[SourceText]:
    """The words of ``text`` at unquoted blanks, quotes and escapes left in place."""
    raw = text.text
    found: list[SourceText] = []
    start: int | None = None
    quote = ""
    index = 0
    while index < len(raw):
        char = raw[index]
        if not quote and char in " \t\n\r":
            if start is not None:
                found.append(cut(text, [(start, index)]))
                start = None
            index += 1
            continue
        if start is None:
            start = index
        if char == escape and quote != "'":
            index += 1
        elif char in "\"'" and not quote:
            quote = char
        elif char == quote:
            quote = ""
        index += 1
    if start is not None:
        found.append(cut(text, [(start, len(raw))]))
    return found


def expand(text: SourceText, scope: Scope, quotes: bool = True, keep_escapes: bool = False) -> Word:
    """``text`` with its variables filled in, quotes and escapes removed or left as they are. Raises ``Malformed``."""
    expansion = _Expansion(text, scope)
    filled = expansion.until("", quotes, keep_escapes)
    return Word(filled, text.place(0), tuple(dict.fromkeys(expansion.references)))


class _Expansion:
    """One walk over a word, left to right."""

    def __init__(self, text: SourceText, scope: Scope) -> None:
        self.text = text
        self.raw = text.text
        self.scope = scope
        self.index = 0
        self.depth = 0
        self.size = 0
        self.references: list[Reference] = list(text.references())

    def until(self, stop: str, quotes: bool = True, keep_escapes: bool = False) -> str:
        """What stands before the character ``stop`` (``""``: the end), filled in; goes on behind it."""
        start = self.index
        out: list[str] = []
        while self.index < len(self.raw):
            char = self.raw[self.index]
            self.index += 1
            if char == stop:
                return "".join(out)
            if char == self.scope.escape:
                following = self.raw[self.index : self.index + 1]
                self.index += 1
                out.append(char + following if keep_escapes else following)
            elif char == "$":
                out.append(self._dollar())
            elif quotes and char == "'":
                out.append(self._single())
            elif quotes and char == '"':
                out.append(self._double())
            else:
                out.append(char)
        if stop:
            raise Malformed(self.text.place(max(start - 1, 0)), f"a variable's {stop!r} is missing")
        return "".join(out)

    def _single(self) -> str:
        end = self.raw.find("'", self.index)
        if end < 0:
            raise Malformed(self.text.place(self.index - 1), "a single quote is opened and not closed")
        inside = self.raw[self.index : end]
        self.index = end + 1
        return inside

    def _double(self) -> str:
        start = self.index
        out: list[str] = []
        while self.index < len(self.raw):
            char = self.raw[self.index]
            self.index += 1
            if char == '"':
                return "".join(out)
            if char == "$":
                out.append(self._dollar())
            elif char == self.scope.escape and self.raw[self.index : self.index + 1] in ('"', "$", char):
                out.append(self.raw[self.index])
                self.index += 1
            else:
                out.append(char)
        raise Malformed(self.text.place(start - 1), "a double quote is opened and not closed")

    def _dollar(self) -> str:
        """What a reference becomes; the index stands behind its ``$``."""
        start = self.index - 1
        braces = self.raw.startswith("{", self.index)
        name = _NAME.match(self.raw, self.index + braces)
        if name is None:
            if braces:
                raise Malformed(self.text.place(start), "`${` is not followed by the name of a variable")
            return "$"
        self.index = name.end()
        place = self.text.place(start)
        if not braces:
            return self._value(name[0], place, start)
        sign = self.raw[self.index : self.index + 1]
        if sign == ":":
            sign = self.raw[self.index : self.index + 2]
        self.index += len(sign)
        if sign == "}":
            return self._value(name[0], place, start)
        if sign in ("-", ":-", "+", ":+", "?", ":?"):
            return self._choice(name[0], place, start, sign)
        if sign in ("#", "%"):
            double = self._doubled(sign)
            pattern = self._inside("}", keep_escapes=True)
            value = self._value(name[0], place, start)
            if _is_costly(pattern, value):
                return self._unknown(name[0], place, start)
            return _trim(value, self._pattern(pattern, place), sign, double)
        if sign == "/":
            double = self._doubled(sign)
            pattern = self._inside("/", keep_escapes=True)
            replacement = self._inside("}", keep_escapes=True)
            value = self._value(name[0], place, start)
            if _is_costly(pattern, value):
                return self._unknown(name[0], place, start)
            return self._pattern(pattern, place).sub(lambda _: replacement, value, count=0 if double else 1)
        if not sign:
            raise Malformed(place, "a variable's '}' is missing")
        raise Malformed(place, f"`${{{name[0]}{sign}…}}` is no form that the builder knows")

    def _inside(self, stop: str, keep_escapes: bool = False) -> str:
        """A part of a reference, which may hold references of its own."""
        if self.depth == _DEEPEST:
            raise Malformed(self.text.place(self.index), f"variables nest more than {_DEEPEST} deep")
        self.depth += 1
        inside = self.until(stop, keep_escapes=keep_escapes)
        self.depth -= 1
        return inside

    def _unknown(self, name: str, place: Place, start: int) -> str:
        self.references.append(Reference(name, place, Given.UNKNOWN))
        return self.raw[start : self.index]

    def _doubled(self, sign: str) -> bool:
        found = self.raw.startswith(sign, self.index)
        self.index += found
        return found

    def _choice(self, name: str, place: Place, start: int, sign: str) -> str:
        before = len(self.references)
        at = self.text.place(self.index)
        other = self._inside("}")
        inner = self.references[before:]
        del self.references[before:]
        value = self.scope.values.get(name)
        if value is None and name in _PLATFORM_ARGS:
            return self._value(name, place, start)
        is_set = value is not None and (bool(value.text) or sign[0] != ":")
        if sign[-1] == "?" and not is_set:
            message = other or ("is not allowed to be empty" if value is not None else "is not allowed to be unset")
            raise Malformed(place, f"{name}: {message}")
        if (sign[-1] == "+") == is_set and sign[-1] != "?":
            self.references.append(Reference(name, place, Given.ALTERNATE if is_set else Given.DEFAULT, at))
            self.references += inner
            return other
        return self._value(name, place, start) if is_set else ""

    def _value(self, name: str, place: Place, start: int) -> str:
        value = self.scope.values.get(name)
        if value is None:
            if name in _PLATFORM_ARGS:
                return self._unknown(name, place, start)
            self.references.append(Reference(name, place, Given.UNSET))
            return ""
        self.size += len(value.text)
        if self.size > _LONGEST:
            raise Malformed(place, f"the variables fill in more than {_LONGEST:,} characters")
        self.references.append(Reference(name, place, Given.FILE, value.place))
        self.references += value.references
        return value.text

    def _pattern(self, pattern: str, place: Place) -> re.Pattern[str]:
        """``*`` and ``?`` of the shell; brackets stand for themselves (BuildKit ``convertShellPatternToRegex``)."""
        out: list[str] = []
        index = 0
        while index < len(pattern):
            char = pattern[index]
            index += 1
            if char == "\\":
                char = pattern[index : index + 1]
                index += 1
                if not char or char not in "*?\\}/":
                    raise Malformed(place, f"the pattern {pattern[:40]!r} escapes {char or 'its end'!r}")
                out.append(re.escape(char))
            else:
                out.append({"*": ".*", "?": "."}.get(char) or re.escape(char))
        return re.compile("".join(out))


def _is_costly(pattern: str, value: str) -> bool:
    """Whether matching could take long, as no pattern that people write does. Such a value stays unknown."""
    return (len(value) > 300 and "*" in pattern) or pattern.count("*") > 3


def _trim(value: str, pattern: re.Pattern[str], sign: str, longest: bool) -> str:
    """``value`` without the shortest or longest beginning (``#``) or end (``%``) that ``pattern`` matches."""
    cuts = range(len(value) + 1)
    if sign == "#":
        found = [cut for cut in cuts if pattern.fullmatch(value, 0, cut)]
        return value[(found[-1] if longest else found[0]) :] if found else value
    found = [cut for cut in cuts if pattern.fullmatch(value, cut)]
    return value[: (found[0] if longest else found[-1])] if found else value
