"""What a run has found so far, as plain JSON values, gathered from one process or from several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Entry = dict[str, Any]


@dataclass(slots=True)
class Tally:
    """Grows while items finish. ``keep_profiles``: only a written report needs the profiles themselves."""

    keep_profiles: bool = False
    files: set[str] = field(default_factory=set)
    profiles: int = 0
    commands: int = 0
    unknown_versions: int = 0
    entries: dict[tuple[str, str], Entry] = field(default_factory=dict)
    findings: dict[tuple[Any, ...], Entry] = field(default_factory=dict)
    not_seen: dict[tuple[Any, ...], Entry] = field(default_factory=dict)
    unresolved: dict[str, None] = field(default_factory=dict)
    _known: set[tuple[str, str]] = field(default_factory=set)

    def add(self, node: tuple[str, str], outcome: Mapping[str, Any]) -> None:
        """The outcome of one item; ``node`` is the file and the server's name in the node id."""
        self.files.add(node[0])
        for finding in outcome["findings"]:
            self.findings[(*node, finding["rule"], finding["line"], finding["column"], finding["when"])] = finding
        profile = outcome["profile"]
        # Items of one server may run in two processes, and both then send the server.
        if profile is None or node in self._known:
            return
        self._known.add(node)
        self.profiles += 1
        self.commands += len(profile["commands"])
        self.unknown_versions += profile["engine_version"] is None
        self.unresolved.update(dict.fromkeys(profile["unresolved"]))
        if self.keep_profiles:
            self.entries[node] = profile

    def add_not_seen(self, entries: Iterable[Entry]) -> None:
        """What was not read or not followed; the same thing told by two processes counts once."""
        for entry in entries:
            self.not_seen[(entry["path"], entry["line"], entry["column"], entry["what"])] = entry
