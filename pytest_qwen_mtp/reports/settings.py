"""What a release makes of a command: every setting with its value, origin, source and place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Setting, Settings
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.reports.entries import place_entry, shown_path
from pytest_qwen_mtp.reports.failure import clean
from pytest_qwen_mtp.reports.secrets import HIDDEN, hide_line, hide_value

_ORDER = (Origin.GIVEN, Origin.IMPLIED, Origin.DEFAULT)


def ordered(settings: Settings) -> list[Setting]:
    """What was given in the order of the words, then what follows from it, then the defaults by name."""
    given = sorted(
        (each for each in settings.known.values() if each.origin is Origin.GIVEN),
        key=lambda each: (each.place.line or 0, each.place.column or 0) if each.place is not None else (0, 0),
    )
    others = sorted(
        (each for each in settings.known.values() if each.origin is not Origin.GIVEN),
        key=lambda each: (_ORDER.index(each.origin), each.name),
    )
    return given + others


def settings_entry(settings: Settings, root: Path) -> list[dict[str, Any]]:
    """``[{"name", "value", "known", "origin", "source", "place"}]``; ``known`` false: ``value`` is null and ``source``
    says why."""
    return [
        {
            "name": each.name,
            "value": None if each.value is UNKNOWN else _plain(each.name, each.value),
            "known": each.value is not UNKNOWN,
            "origin": str(each.origin),
            "source": _source(each),
            "place": place_entry(each.place, root) if each.place is not None else None,
        }
        for each in ordered(settings)
    ]


def settings_lines(settings: Settings, root: Path) -> Iterator[str]:
    """The same for people, one line a setting, in columns."""
    shown = ordered(settings)
    width = min(max((len(each.name) for each in shown), default=0), 44)
    for each in shown:
        where = f"    [{_where(each.place, root)}]" if each.place is not None else ""
        value = show(each.name, each.value)
        source = _source(each)
        why = source if source.startswith(str(each.origin)) else f"{each.origin}: {source}"
        yield clean(f"    {each.name:<{width}}  {value}  ({why}){where}")


def show(name: str, value: Any) -> str:
    """A value in a line: as JSON writes it, ``unknown`` where it is not known, a secret hidden."""
    return "unknown" if value is UNKNOWN else json.dumps(_plain(name, value), ensure_ascii=False, default=str)


def _source(setting: Setting) -> str:
    """The source in words; of a secret only the option."""
    if setting.value is not UNKNOWN and HIDDEN in show(setting.name, setting.value):
        return f"{setting.source.partition(' ')[0]} {HIDDEN}"
    return hide_line(setting.source)


def _plain(name: str, value: Any) -> Any:
    """The value with secrets hidden, and with null for what is not known inside it."""
    if value is UNKNOWN:
        return None
    if isinstance(value, str):
        return hide_value(name, value)
    if isinstance(value, Mapping):
        return {str(key): _plain(str(key), inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(name, inner) for inner in value]
    return value


def _where(place: Place, root: Path) -> str:
    return str(Place(shown_path(place.path, root), place.line, place.column))
