"""Which releases an entry holds for: a timeline of events, and a three-valued answer for one version.

Versions are compared as ``packaging.version.Version``, because a specifier set lets ``0.11.1rc1`` escape from
``<0.11.1``. llama.cpp's build numbers (``b9180``) are versions of one number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from packaging.version import Version

ENGINE_NAMES = {"vllm": "vLLM", "sglang": "SGLang", "llamacpp": "llama.cpp"}

# Which number of a version counts the releases made from main: vLLM 0.27 → 0.28, SGLang 0.5.13 → 0.5.14.
_RELEASE_NUMBER = {"vllm": 1, "sglang": 2}
_DEV_REACH = 2
"""Releases. A build of main is named after the last tag on main, and vLLM's tags sit on release branches: builds
0.26.1rc1.dev1424 and 0.28.1rc1.dev130 are of the same week (vllm-project/vllm#40875, #54906)."""


@dataclass(frozen=True, slots=True)
class Range:
    """Releases from ``introduced`` (None: the first) up to, not including, ``fixed``, or including ``last_affected``.

    Outside ``seen_from``…``seen_to`` the answer is unknown: nobody has seen the trouble there, nor that it is gone.
    """

    introduced: str | None = None
    fixed: str | None = None
    last_affected: str | None = None
    seen_from: str | None = None
    seen_to: str | None = None

    def __str__(self) -> str:
        if self.introduced and self.introduced == self.last_affected:
            return self.introduced
        start = self.introduced or ""
        if self.fixed:
            return f"{start} to before {self.fixed}" if start else f"before {self.fixed}"
        if self.last_affected:
            return f"{start} to {self.last_affected}" if start else f"up to {self.last_affected}"
        return f"{start} and later" if start else "every release"


@lru_cache(maxsize=4096)
def parse_version(text: str | None) -> Version | None:
    """The version ``text`` names, without its local part; None where it names no release.

    ``0.0.0.dev1+g…`` is what a build without tags calls itself, so it names none.
    """
    if not text:
        return None
    try:
        version = Version(text.strip().removeprefix("b"))
    except ValueError:  # InvalidVersion, or more digits than Python reads
        return None
    if not any(version.release):
        return None
    # 0.27.1+cu129 is 0.27.1; left in, the local part would sort it above.
    return Version(version.public) if version.local else version


def at_least(version: Version, bound: str, engine: str) -> bool | None:
    """Is ``version`` ``bound`` or later? None for a build of main shortly before it, which may have it already."""
    limit = parse_version(bound)
    if limit is None:
        raise ValueError(f"not a version: {bound!r}")
    if version >= limit:
        return True
    number = _RELEASE_NUMBER.get(engine)
    if number is None or not version.is_devrelease or len(version.release) <= number or len(limit.release) <= number:
        return False
    same_line = version.release[:number] == limit.release[:number]
    near = limit.release[number] - version.release[number] <= _DEV_REACH
    return None if same_line and near else False


@dataclass(frozen=True, slots=True)
class Standing:
    """Is a version in the ranges, and the sentence that says so."""

    holds: bool | None
    text: str


def standing(ranges: Sequence[Range], version: str | None, engine: str) -> Standing:
    """Where ``version`` (text, None: unknown) stands to ``ranges`` of which one suffices."""
    name = ENGINE_NAMES.get(engine, engine)
    wanted = " or ".join(str(each) for each in ranges)
    parsed = parse_version(version)
    if parsed is None:
        what = f"{name}'s version is not known" if version is None else f"{name} {version} names no release"
        return Standing(None, f"{what}; would be definite for {wanted}")
    doubts: list[str] = []
    for each in ranges:
        holds, doubt = _inside(each, parsed, engine)
        if holds:
            return Standing(True, f"{name} {version} is affected ({each})")
        if holds is None:
            doubts.append(doubt)
    if doubts:
        return Standing(None, f"{name} {version}: {'; '.join(doubts)}")
    return Standing(False, f"{name} {version} is not affected ({wanted})")


def _inside(each: Range, version: Version, engine: str) -> tuple[bool | None, str]:
    """Kleene "and" of the range's events, with the doubt in words where one is unknown."""
    doubt = ""
    if each.introduced is not None:
        begun = at_least(version, each.introduced, engine)
        if begun is False:
            return False, ""
        if begun is None:
            doubt = f"this build of main may already have what {each.introduced} brought"
    if each.fixed is not None:
        over = at_least(version, each.fixed, engine)
        if over:
            return False, ""
        if over is None:
            doubt = f"this build of main may already have the fix of {each.fixed}"
    last = parse_version(each.last_affected)
    if last is not None and version > last:
        return False, ""
    first_seen, last_seen = parse_version(each.seen_from), parse_version(each.seen_to)
    if first_seen is not None and version < first_seen:
        doubt = doubt or f"seen from {each.seen_from} on, and not known for older releases"
    if last_seen is not None and version > last_seen:
        doubt = doubt or f"seen up to {each.seen_to}, no fix is known, and newer releases were not checked"
    return (None, doubt) if doubt else (True, "")
