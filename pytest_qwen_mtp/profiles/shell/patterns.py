"""Patterns of the shell: ``*``, ``?``, ``[…]`` and the extended forms, as regular expressions; brace expansion."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from pytest_qwen_mtp.profiles.shell.arithmetic import NotComputable
from pytest_qwen_mtp.profiles.shell.lexer import NAME
from pytest_qwen_mtp.profiles.shell.syntax import Literal, Parameter, Part, ShellWord

_EXTENDED = {"@": "(?:{})", "?": "(?:{})?", "*": "(?:{})*", "+": "(?:{})+", "!": "(?!(?:{})$).*"}
_SEQUENCE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$")
MAX_BRACES = 1000
MAX_DEPTH = 30
MAX_STARS = 8
"""Python's matching goes back and forth between stars; more of them than launchers have could take for ever."""


def to_regex(parts: Iterable[tuple[str, bool]]) -> str:
    """The regular expression for a pattern given as ``(text, quoted)`` runs. Quoted text stands for itself.

    Raises NotComputable for a pattern that would take for ever.
    """
    characters = [(character, quoted) for text, quoted in parts for character in text]
    if sum(each == ("*", False) for each in characters) > MAX_STARS:
        raise NotComputable(f"a pattern with more than {MAX_STARS} stars")
    return _regex(characters, repeated=False)


def _regex(characters: list[tuple[str, bool]], repeated: bool) -> str:
    out: list[str] = []
    index = 0
    while index < len(characters):
        character, quoted = characters[index]
        following = characters[index + 1] if index + 1 < len(characters) else ("", False)
        if quoted:
            out.append(re.escape(character))
        elif character in _EXTENDED and following == ("(", False):
            close = _closing(characters, index + 1)
            if close is None:
                out.append(re.escape(character))
            else:
                if repeated and character in "*+":
                    raise NotComputable("a pattern that repeats a repetition")
                alternatives = _alternatives(characters[index + 2 : close])
                inner = [_regex(each, repeated or character in "*+") for each in alternatives]
                out.append(_EXTENDED[character].format("|".join(inner)))
                index = close
        elif character == "*":
            if out[-1:] != [".*"]:
                out.append(".*")
        elif character == "?":
            out.append(".")
        elif character == "[" and (close := _bracket_end(characters, index)) is not None:
            inner_text = "".join(each for each, _ in characters[index + 1 : close])
            negated = inner_text[:1] in ("!", "^")
            body = re.sub(r"([\\\[]|&&|--|~~|\|\|)", r"\\\1", inner_text[1:] if negated else inner_text)
            body = re.sub(r"\\\[:(\w+):\]", _character_class, body)
            out.append("[" + ("^" if negated else "") + body + "]")
            index = close
        else:
            out.append(re.escape(character))
        index += 1
    return "".join(out)


def _bracket_end(characters: list[tuple[str, bool]], opened: int) -> int | None:
    """Where the bracket expression ends; a closing bracket as its first member, and in ``[:name:]``, is none."""
    index = opened + 1
    if index < len(characters) and characters[index] in (("!", False), ("^", False)):
        index += 1
    first = index
    while index < len(characters):
        if characters[index] == ("[", False) and characters[index + 1 : index + 2] == [(":", False)]:
            text = "".join(each for each, _ in characters[index:])
            match = re.match(r"\[:\w+:\]", text)
            index += match.end() if match else 1
            continue
        if characters[index] == ("]", False) and index > first:
            return index
        index += 1
    return None


def _character_class(match: re.Match[str]) -> str:
    classes = {"digit": "0-9", "alpha": "a-zA-Z", "alnum": "a-zA-Z0-9", "space": r"\s", "upper": "A-Z", "word": r"\w"}
    more = {"lower": "a-z", "blank": r" \t", "xdigit": "0-9a-fA-F", "punct": r"!-/:-@\[-`{-~"}
    return {**classes, **more}.get(match.group(1), "")


def _closing(characters: list[tuple[str, bool]], opened: int) -> int | None:
    depth = 0
    for index in range(opened, len(characters)):
        if characters[index] == ("(", False):
            depth += 1
        elif characters[index] == (")", False):
            depth -= 1
            if depth == 0:
                return index
    return None


def _alternatives(characters: list[tuple[str, bool]]) -> list[list[tuple[str, bool]]]:
    found: list[list[tuple[str, bool]]] = [[]]
    depth = 0
    for each in characters:
        depth += (each == ("(", False)) - (each == (")", False))
        if each == ("|", False) and depth == 0:
            found.append([])
        else:
            found[-1].append(each)
    return found


def compile_pattern(parts: Iterable[tuple[str, bool]], ignore_case: bool = False) -> re.Pattern[str] | None:
    """The compiled pattern, or None where its bracket expression makes no sense. Raises NotComputable."""
    try:
        return re.compile(to_regex(parts), re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    except re.error:
        return None


def expand_braces(word: ShellWord) -> list[ShellWord]:
    """``a{b,c}{1..3}`` as its words; the word itself where no brace expression stands in it unquoted."""
    if not any(isinstance(part, Literal) and not part.quoted and "{" in part.text for part in word.parts):
        return [word]
    atoms: list[Part] = []
    for part in word.parts:
        if isinstance(part, Literal) and not part.quoted:
            atoms.extend(Literal(character, part.offset + at) for at, character in enumerate(part.text))
        else:
            atoms.append(part)
    if sum(_is(atom, "{") for atom in atoms) > MAX_DEPTH:
        raise NotComputable(f"more than {MAX_DEPTH} brace expressions in one word")
    return [replace(word, parts=tuple(_merge(each))) for each in _braces(atoms)[:MAX_BRACES]]


def _is(part: Part, character: str) -> bool:
    return isinstance(part, Literal) and not part.quoted and part.text == character


def _braces(atoms: list[Part]) -> list[list[Part]]:
    for index, atom in enumerate(atoms):
        if not _is(atom, "{"):
            continue
        depth, commas, close = 0, [index], None
        for at in range(index, len(atoms)):
            if _is(atoms[at], "{"):
                depth += 1
            elif _is(atoms[at], "}"):
                depth -= 1
                if depth == 0:
                    close = at
                    break
            elif _is(atoms[at], ",") and depth == 1:
                commas.append(at)
        if close is None:
            continue
        before, after = atoms[:index], _braces(atoms[close + 1 :])
        if len(commas) > 1:
            cuts = [*commas, close]
            pieces = [atoms[cuts[i] + 1 : cuts[i + 1]] for i in range(len(cuts) - 1)]
            middles = [middle for piece in pieces for middle in _braces(piece)]
        else:
            sequence = _sequence(atoms[index + 1 : close])
            if sequence is None:
                # `${`-like or `{}` text: the brace itself is plain, what follows may still hold an expression
                return [[*atoms[: index + 1], *rest] for rest in _braces(atoms[index + 1 :])]
            middles = [[text] for text in sequence]
        found = [[*before, *middle, *rest] for middle in middles for rest in after]
        return found[:MAX_BRACES]
    return [atoms]


def _sequence(atoms: list[Part]) -> list[Part] | None:
    if not atoms or not all(isinstance(atom, Literal) and not atom.quoted for atom in atoms):
        return None
    match = _SEQUENCE.match("".join(atom.text for atom in atoms if isinstance(atom, Literal)))
    if not match:
        return None
    first, last, step = match.groups()
    digits = first.lstrip("-").isdigit()
    if digits != last.lstrip("-").isdigit():
        return None
    low, high = (int(first), int(last)) if digits else (ord(first), ord(last))
    width = abs(int(step)) if step and int(step) else 1
    numbers = range(low, high + 1, width) if low <= high else range(low, high - 1, -width)
    padded = digits and any(text.lstrip("-").startswith("0") and len(text.lstrip("-")) > 1 for text in (first, last))
    size = max(len(first), len(last)) if padded else 0
    texts = [str(number).zfill(size) if digits else chr(number) for number in numbers[:MAX_BRACES]]
    return [Literal(text, atoms[0].offset) for text in texts]


def _merge(atoms: list[Part]) -> list[Part]:
    """Literals that stand side by side, as one; a plain ``$a`` takes the name characters that now follow it."""
    merged: list[Part] = []
    for atom in atoms:
        last = merged[-1] if merged else None
        if isinstance(last, Parameter) and isinstance(atom, Literal) and not atom.quoted and not last.quoted:
            plain = last.end - last.offset == 1 + len(last.name) and NAME.fullmatch(last.name)
            name = re.match(r"\w+", atom.text)
            if plain and name and atom.offset != last.end:
                longer = last.name + name.group()
                merged[-1] = last = replace(last, name=longer, end=last.offset + 1 + len(longer))
                atom = replace(atom, text=atom.text[name.end() :])
                if not atom.text:
                    continue
        adjacent = (
            isinstance(atom, Literal)
            and not atom.quoted
            and isinstance(last, Literal)
            and not last.quoted
            and last.offset + len(last.text) == atom.offset
        )
        if adjacent and isinstance(last, Literal) and isinstance(atom, Literal):
            merged[-1] = replace(last, text=last.text + atom.text)
        else:
            merged.append(atom)
    return merged
