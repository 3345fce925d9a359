"""The registry: the entries that ship with the package, and those of the user's own folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.registry.entry import Entry, Example, read_entry
from pytest_qwen_mtp.registry.language import ConditionError
from pytest_qwen_mtp.registry.ranges import Standing, standing

SHIPPED = Path(__file__).parent / "entries"

_EXAMPLES = "\nexamples:"


class RegistryError(Exception):
    """Entries that cannot be loaded. ``errors`` are ``(place, message)``, one for each thing that is wrong."""

    def __init__(self, errors: Sequence[tuple[Place, str]]) -> None:
        super().__init__("\n".join(f"{place}: {message}" for place, message in errors))
        self.errors = tuple(errors)


@dataclass(frozen=True, slots=True)
class Silence:
    """An entry that somebody does not want to hear of, and why."""

    id: str
    reason: str
    path: Path


@dataclass(frozen=True)
class Registry:
    """All entries, by id. ``date`` is the newest ``last_checked`` of them. ``silenced``: those taken out by name."""

    entries: tuple[Entry, ...]
    silenced: tuple[Silence, ...] = ()
    _standing: dict[tuple[str, str | None], tuple[tuple[Entry, Standing], ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _by_name: dict[str, Entry] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for entry in self.entries:
            for name in (entry.id, *entry.aliases):
                self._by_name[name.casefold()] = entry

    @property
    def date(self) -> str:
        return max((entry.last_checked for entry in self.entries), default="")

    def get(self, name: str) -> Entry | None:
        """The entry with this id or alias, in any case."""
        return self._by_name.get(name.casefold())

    @property
    def names(self) -> tuple[str, ...]:
        """Every id and alias."""
        return tuple(name for entry in self.entries for name in (entry.id, *entry.aliases))

    def candidates(self, engine: str, version: str | None) -> tuple[tuple[Entry, Standing], ...]:
        """The entries of ``engine`` that may hold for ``version``, with what the version says; worst first."""
        key = (engine, version)
        found = self._standing.get(key)
        if found is None:
            mine = [(each, standing(each.affected, version, engine)) for each in self.entries if each.engine == engine]
            mine = [pair for pair in mine if pair[1].holds is not False]
            found = tuple(sorted(mine, key=lambda pair: (-pair[0].severity, pair[0].id)))
            if len(self._standing) < 1000:  # a version is free text; a registry must not grow with what it is asked
                self._standing[key] = found
        return found


def load_registry(folders: Iterable[str | Path] = ()) -> Registry:
    """The shipped entries and those in ``folders`` (every ``*.yaml`` directly in them, checked against the schema).

    An entry of a folder replaces a shipped one only by naming it in ``overrides``, and a file of the two keys
    ``silence: ID`` and ``reason:`` takes one out. Raises ``RegistryError``.
    """
    paths = [Path(each) for each in folders]
    if not paths:
        return _shipped_registry()
    errors: list[tuple[Place, str]] = []
    read = [each for folder in paths for each in _read_folder(folder, errors)]
    own = [each for each in read if isinstance(each, Entry)]
    silences = [each for each in read if isinstance(each, Silence)]
    shipped = {entry.id: entry for entry in _shipped_registry().entries}
    known = {**shipped, **{entry.id: entry for entry in own}}
    seen: dict[str, Path] = {}
    for entry in own:
        place = Place(str(entry.path))
        if entry.id in seen:
            errors.append((place, f"the id {entry.id} is taken by {seen[entry.id]}; give this entry its own"))
        elif entry.id in shipped and entry.id not in entry.overrides:
            message = f'the id {entry.id} is a shipped entry; to replace it, write "overrides: [{entry.id}]"'
            errors.append((place, message))
        seen.setdefault(entry.id, entry.path)
        errors += [
            (place, f"overrides names {name}, which is no entry") for name in entry.overrides if name not in known
        ]
    by_name = {name.casefold(): entry.id for entry in known.values() for name in (entry.id, *entry.aliases)}
    errors += [
        (Place(str(each.path)), f"silence names {each.id}, which is no entry")
        for each in silences
        if each.id.casefold() not in by_name
    ]
    if errors:
        raise RegistryError(errors)
    silent = {by_name[each.id.casefold()]: each for each in silences}
    replaced = {name for entry in own for name in entry.overrides}
    kept = [entry for entry in shipped.values() if entry.id not in replaced]
    own = [entry for entry in own if entry.id not in replaced or entry.id in entry.overrides]
    spoken = tuple(entry for entry in (*kept, *own) if entry.id not in silent)
    return Registry(spoken, tuple(Silence(name, silent[name].reason, silent[name].path) for name in sorted(silent)))


@cache
def _shipped_registry() -> Registry:
    return Registry(tuple(_read_shipped(path) for path in sorted(SHIPPED.glob("*.yaml"))))


def _read_shipped(path: Path) -> Entry:
    # The examples are half of each file and only its tests need them.
    head = path.read_text(encoding="utf-8").partition(_EXAMPLES)[0]
    return read_entry(parse_yaml(head), path)


def read_examples(entry: Entry) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """The entry's examples: commands that must meet it, and commands that must not."""
    examples = parse_yaml(entry.path.read_text(encoding="utf-8"))["examples"]
    bad, good = ([Example(**each) for each in examples[kind]] for kind in ("bad", "good"))
    return tuple(bad), tuple(good)


def parse_yaml(text: str) -> Any:
    """Plain values of a YAML text in which a date stays the text it is. Raises ``yaml.YAMLError``."""
    return yaml.load(text, Loader=_Loader)


_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    yaml_implicit_resolvers: Mapping[str, Any] = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in _Base.yaml_implicit_resolvers.items()
    }


def _read_folder(folder: Path, errors: list[tuple[Place, str]]) -> list[Entry | Silence]:
    if not folder.is_dir():
        errors.append((Place(str(folder)), "no such folder; expected a folder of registry entries (*.yaml)"))
        return []
    paths = sorted([*folder.glob("*.yaml"), *folder.glob("*.yml")])
    if not paths:
        errors.append((Place(str(folder)), "holds no *.yaml file; expected registry entries"))
    entries: list[Entry | Silence] = []
    for path in paths:
        entry = read_checked(path, errors)
        if entry is not None:
            entries.append(entry)
    return entries


def read_checked(path: Path, errors: list[tuple[Place, str]]) -> Entry | Silence | None:
    """The entry in ``path``, or what it silences, checked in full; None after adding what is wrong to ``errors``."""
    try:
        text = path.read_text(encoding="utf-8")
        data = parse_yaml(text)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        errors.append((Place(str(path)), f"cannot be read: {error}"))
        return None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(str(path), mark.line + 1, mark.column + 1) if mark else Place(str(path))
        errors.append((place, f"is not YAML: {error.problem or error.context}"))
        return None
    except yaml.YAMLError as error:
        errors.append((Place(str(path)), f"is not YAML: {str(error).splitlines()[0]}"))
        return None
    silences = isinstance(data, dict) and "silence" in data
    found = _silence_errors(data) if silences else _schema_errors(data)
    if silences and not found:
        return Silence(data["silence"], data["reason"], path)
    if not found and data["id"] != path.stem:
        found.append((("id",), f"id is {data['id']}, but the file is named {path.name}; the two must agree"))
    if not found:
        try:
            return read_entry(data, path)
        except ConditionError as error:
            found.append((error.path, str(error)))
    for keys, message in found:
        errors.append((place_of(path, text, keys), message))
    return None


def _silence_errors(data: Mapping[str, Any]) -> list[tuple[tuple[str | int, ...], str]]:
    errors: list[tuple[tuple[str | int, ...], str]] = [
        ((name,), f"{name}: unknown beside silence; expected only reason")
        for name in data.keys() - {"silence", "reason"}
    ]
    for name, what in (("silence", "the id of an entry"), ("reason", "why it is not to be told")):
        if not isinstance(data.get(name), str) or not data[name].strip():
            errors.append(((name,), f"{name}: expected {what}, found {data.get(name)!r:.60}"))
    return errors


def _schema_errors(data: Any) -> list[tuple[tuple[str | int, ...], str]]:
    # Heavy, and only for entries that are not ours.
    from jsonschema import Draft202012Validator

    from pytest_qwen_mtp.schema import read_schema

    found = Draft202012Validator(read_schema("registry-entry")).iter_errors(data)
    ordered = sorted(found, key=lambda error: [str(key) for key in error.absolute_path])
    return [(tuple(error.absolute_path), _in_words(error)) for error in ordered]


def _in_words(error: Any) -> str:
    where = ".".join(str(key) for key in error.absolute_path) or "the file"
    hint = error.schema.get("description") if isinstance(error.schema, dict) else None
    return f"{where}: {error.message}" + (f"; expected: {hint}" if hint else "")


def place_of(path: Path, text: str, keys: Sequence[str | int]) -> Place:
    """Where the value under ``keys`` stands; the nearest one above it where a key is missing."""
    node = yaml.compose(text, Loader=_Loader)
    for key in keys:
        child = None
        if isinstance(node, yaml.MappingNode):
            child = next((value for name, value in node.value if name.value == str(key)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            child = node.value[key]
        if child is None:
            break
        node = child
    if node is None:
        return Place(str(path))
    return Place(str(path), node.start_mark.line + 1, node.start_mark.column + 1)
