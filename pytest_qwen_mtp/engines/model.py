"""Settings: what an engine release makes of a command line, with the origin and the place of every value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Engine


class Unknown:
    """The one value that means: cannot be known from the files. It is never equal to anything but itself."""

    _instance: Unknown | None = None

    def __new__(cls) -> Unknown:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        raise TypeError("UNKNOWN is neither true nor false; compare with `is UNKNOWN`")


UNKNOWN: Final = Unknown()


class Origin(StrEnum):
    """Where a value comes from."""

    GIVEN = "given"
    DEFAULT = "default"
    IMPLIED = "implied"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of the engine under the engine's own name.

    ``value`` is a plain JSON value or ``UNKNOWN``. ``source`` is the reason in words: the option as written,
    ``default of vLLM 0.32.0``, or ``implied by …``; for UNKNOWN, why it is not known.
    """

    name: str
    value: Any
    origin: Origin
    source: str
    place: Place | None = None


Stage = Literal["parser", "config", "running"]
"""When the release minds: while it parses the words, when it builds its config of them, or never: it starts."""


@dataclass(frozen=True, slots=True)
class OptionProblem:
    """What the release's own parser would say against a word. ``kind`` is a rule id.

    ``certain``: read in the very release that runs, or the same in all that may run.
    """

    kind: str
    message: str
    place: Place
    option: str | None = None
    suggestion: str | None = None
    certain: bool = True
    stage: Stage = "parser"


@dataclass(frozen=True, slots=True)
class Settings(Mapping[str, Setting]):
    """All settings of one command.

    Names are the engine's own: vLLM attribute names (``enable_prefix_caching``, ``max_num_seqs``, ``model``), with
    ``speculative.*``, ``compilation.*``, ``kv_transfer.*`` for the JSON options; SGLang's ``server_args``
    names (``speculative_num_steps``, ``disable_radix_cache``), and for every engine the common
    ``speculative.method`` and ``speculative.num_speculative_tokens`` (k).
    """

    engine: Engine
    version: str | None
    known: Mapping[str, Setting] = field(default_factory=dict)
    problems: tuple[OptionProblem, ...] = ()

    def __getitem__(self, name: str) -> Setting:
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def value(self, name: str) -> Any:
        """The value of ``name``; UNKNOWN where nothing is known about it."""
        setting = self.known.get(name)
        return UNKNOWN if setting is None else setting.value
