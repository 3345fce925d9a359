"""The launch scripts of ``shell_corpus`` and the few things their headers say about them.

A header line is ``# key: value`` in a comment line before the first command:

- ``run: NAME=value … @program=output … -- argument …`` (repeatable): a branch that the script has, told by what takes
  it; ``@program=output`` is what a program of the machine prints.
- ``needs: …``: the same, for a script that starts nothing without it.
- ``wildcards: N`` or ``N-M``: how many words cannot be told from the file alone (none if not given).
- ``conditional``: the machine decides, so no command is certain.
- ``default: none``: nothing starts when nothing is given.
- ``order: any``: the servers start side by side.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from server_starts import servers
from shell_oracle import Run, Start, run_script

FOLDER = Path(__file__).parent / "shell_corpus"
_HEADER = re.compile(r"# (run|needs|wildcards|default|order|conditional)\b:? ?(.*)")


@dataclass(frozen=True, slots=True)
class Setting:
    """What a run is given: variables, outputs of machine programs, arguments."""

    env: Mapping[str, str] = field(default_factory=dict)
    prints: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Setting:
        words, _, args = text.partition("-- ")
        pairs = [word.partition("=") for word in shlex.split(words)]
        return cls(
            {name: value for name, _, value in pairs if not name.startswith("@")},
            {name[1:]: value + "\n" for name, _, value in pairs if name.startswith("@")},
            tuple(shlex.split(args)),
        )


@dataclass(frozen=True, slots=True)
class Script:
    """One launch script and its header."""

    path: Path
    base: Setting = Setting()
    needy: bool = False
    branches: tuple[Setting, ...] = ()
    wildcards: tuple[int, int] = (0, 0)
    conditional: bool = False
    starts_nothing: bool = False
    ordered: bool = True

    @property
    def name(self) -> str:
        return str(self.path.relative_to(FOLDER))

    def run(self, setting: Setting) -> Run:
        """Runs the script in real bash under ``setting``."""
        companions = self.path.parent if self.path.parent != FOLDER else None
        return run_script(self.path, companions=companions, env=setting.env, args=setting.args, prints=setting.prints)

    def servers(self, setting: Setting) -> list[Start]:
        """The servers that real bash starts under ``setting``."""
        return servers(self.run(setting))


def read_script(path: Path) -> Script:
    """The script at ``path`` with what its header says."""
    base, needy, branches = Setting(), False, []
    lowest = highest = 0
    flags = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            break
        found = _HEADER.fullmatch(line.strip())
        if found is None:
            continue
        key, value = found[1], found[2]
        if key == "run":
            branches.append(Setting.parse(value))
        elif key == "needs":
            base, needy = Setting.parse(value), True
        elif key == "wildcards":
            first, _, last = value.partition("-")
            lowest, highest = int(first), int(last or first)
        else:
            flags.add(f"{key} {value}".strip())
    return Script(
        path=path,
        base=base,
        needy=needy,
        branches=tuple(branches),
        wildcards=(lowest, highest),
        conditional="conditional" in flags,
        starts_nothing="default none" in flags,
        ordered="order any" not in flags,
    )


def corpus() -> list[Script]:
    """All launch scripts: the files of the folder, and ``start.sh`` of each folder in it."""
    return [read_script(path) for path in sorted([*FOLDER.glob("*.sh"), *FOLDER.glob("*/start.sh")])]
