"""The intermediate form of an expanded word, before it is split into fields."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_qwen_mtp.profiles.shell.values import Value


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of an expanded word. ``value`` None is a border between fields, as between the words of ``"$@"``."""

    value: Value | None
    quoted: bool = False
    split: bool = False


BORDER = Run(None)
