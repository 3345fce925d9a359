"""The environment of a service: its ``env_file`` entries under its own ``environment``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.compose_merge import unique
from pytest_qwen_mtp.profiles.compose_scope import Scope
from pytest_qwen_mtp.profiles.compose_session import Session
from pytest_qwen_mtp.profiles.compose_values import Mapping, Pair, Scalar, Sequence, Value, is_null, word_of
from pytest_qwen_mtp.profiles.compose_volumes import string_of
from pytest_qwen_mtp.profiles.dotenv import EnvFile, read_env_text, read_raw_text
from pytest_qwen_mtp.profiles.interpolation import Lookup
from pytest_qwen_mtp.profiles.interpolation import Value as Known
from pytest_qwen_mtp.profiles.model import Problem, Word
from pytest_qwen_mtp.profiles.text import Given, Reference, SourceText


@dataclass(frozen=True, slots=True)
class _File:
    """One ``env_file`` entry."""

    written: str
    path: Path
    place: Place
    required: bool
    form: str


def service_environment(service: Mapping, scope: Scope, session: Session) -> dict[str, Word | None]:
    """The variables that the container gets; None for one that is handed through and not set here.

    ``scope`` is the project's: it fills in the names that stand without a value.
    """
    own = keyed_words(service.get("environment"), scope, session, "environment")
    files = list(_files(service.get("env_file"), session))
    if not files:
        return own
    given: dict[str, Word | None] = {}
    texts: dict[str, SourceText] = {}

    def outer(name: str) -> Known | None:
        value = scope.lookup(name)
        if value is not None:
            return value
        word = own.get(name)
        return None if word is None else Known(word.text, Given.FILE, word.place)

    for file in files:
        result = _read(file, outer, texts, session)
        if result is None:
            continue
        texts |= result.values
        for key, text in result.values.items():
            given[key] = word_of(text, result.places[key])
    return {**given, **own}


def keyed_words(
    value: Value | None, scope: Scope, session: Session, what: str, of_service: bool = True
) -> dict[str, Word | None]:
    """``KEY: value`` or a list of ``KEY=value`` by key. A key without a value takes it from ``scope``.

    Of a service what stays without one is None, and a list takes it from the variables of its own file; build
    arguments are left out then, and know the project's variables only.
    """
    words: dict[str, Word | None] = {}
    if isinstance(value, Mapping):
        for key, entry in value.entries.items():
            _keep(words, key, _value(entry.value, key, entry.place, scope, session, what), of_service)
    elif isinstance(value, Sequence):
        for item in value.items:
            if isinstance(item, Pair):
                inner = item.value.origin.scope if of_service and isinstance(item.value, Scalar) else scope
                _keep(words, item.key, _value(item.value, item.key, item.place, inner, session, what), of_service)
            elif isinstance(item, Scalar) and item.string:
                key, word = _listed(item, item.origin.scope if of_service else scope, session)
                _keep(words, key, word, of_service)
            elif not isinstance(item, Pair):
                found = "a mapping or list" if not isinstance(item, Scalar) else f"`{item.text().text}`, no string,"
                session.refuse(
                    item.place, f"{found} stands in `{what}` where KEY=value is expected", "Put it in quotes."
                )
    elif value is not None:
        place = value.place
        session.refuse(place, f"`{what}` must be a mapping or a list of KEY=value")
    return words


def _keep(words: dict[str, Word | None], key: str, word: Word | None, of_service: bool) -> None:
    if word is not None or of_service:
        words[key] = word
    else:
        words.pop(key, None)


def _value(value: Value, key: str, place: Place, scope: Scope, session: Session, what: str) -> Word | None:
    if not isinstance(value, Scalar):
        session.refuse(place, f"the value of `{key}` in `{what}` is no plain value")
        return None
    return _from_scope(key, place, scope) if value.null else value.word()


def _from_scope(key: str, place: Place, scope: Scope) -> Word | None:
    known = scope.lookup(key)
    if known is None:
        return None
    return Word(known.text, place, (Reference(key, place, known.given, known.place),))


def _listed(item: Scalar, scope: Scope, session: Session) -> tuple[str, Word | None]:
    text = item.text()
    key, equals, rest = text.text.partition("=")
    if key[-1:].isspace():
        session.refuse(item.place, f"a blank stands behind the name of the variable `{key.strip()}`")
    if not equals:
        return key, _from_scope(key, item.place, scope)
    begin = len(key) + 1
    references = text.references(begin) if text.uses else ()
    return key, Word(rest, text.place(min(begin, max(len(text.text) - 1, 0))), references)


def _files(value: Value | None, session: Session) -> list[_File]:
    if is_null(value) or value is None:
        return []
    if isinstance(value, Mapping):
        session.refuse(value.place, "`env_file` is a mapping; expected a path, or a list of paths and mappings")
        return []
    items: list[Value] = value.items if isinstance(value, Sequence) else [value]
    files = []
    for item in unique(items, _file_key):
        path = item.get("path") if isinstance(item, Mapping) else item
        if not isinstance(path, Scalar) or path.null:
            session.refuse(item.place, "an entry of `env_file` names no path")
            continue
        required, form = True, ""
        if isinstance(item, Mapping):
            required = (string_of(item.get("required")) or "true").lower() not in ("false", "no", "off", "n")
            form = string_of(item.get("format")) or ""
        written = path.text().text
        found = Path(os.path.normpath(os.path.join(path.origin.folder, written)))
        if written.startswith("~"):
            home = path.origin.path(written)
            if home is None:
                session.unseen(path.place, f"the env_file {written} lies in a home folder that is not known")
                continue
            found = home
        files.append(_File(written, found, path.place, required, form))
    return files


def _file_key(item: Value) -> str | None:
    """Compose compares the paths as written; those of an included or extended file are made whole before."""
    path = item.get("path") if isinstance(item, Mapping) else item
    return f"{path.origin.folder}\0{path.text()}" if isinstance(path, Scalar) else None


def _read(file: _File, outer: Lookup, texts: dict[str, SourceText], session: Session) -> EnvFile | None:
    if str(file.path) == os.devnull:
        return None
    if not file.written or not file.path.exists():
        if file.required:
            session.problems.append(
                Problem(
                    "missing-file",
                    file.place,
                    f"the env_file {file.written} is not there; Compose starts nothing then",
                    "Add the file, or write `required: false` with its path.",
                )
            )
        else:
            session.unseen(file.place, f"the optional env_file {file.written} is not there")
        return None
    text = session.text(file.path)
    if text is None:
        return None
    if file.form not in ("", "raw", ".env"):
        session.refuse(file.place, f"`{file.form}` is no format of an env_file; expected raw, or none")
        return None
    if file.form == "raw":
        result = read_raw_text(text, str(file.path), outer)
    else:
        result = read_env_text(text, str(file.path), outer, texts.get)
    session.problems.extend(result.problems)
    session.variables.extend(result.variables)
    return result
