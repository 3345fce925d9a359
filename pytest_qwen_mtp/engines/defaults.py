"""What a release sets by itself: its defaults, and the values that follow from the model and from other settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Setting
from pytest_qwen_mtp.engines.options import Computed


@lru_cache(maxsize=256)
def defaults(release: Release) -> Mapping[str, Setting]:
    """The parser's defaults of ``release`` by attribute name."""
    found: dict[str, Setting] = {}
    for name, option in release.by_name.items():
        if isinstance(option.default, Computed):
            reason = f"{release} works out {name} when it starts: {option.default.expression}"
            found[name] = Setting(name, UNKNOWN, Origin.DEFAULT, reason)
        else:
            found[name] = Setting(name, option.default, Origin.DEFAULT, f"default of {release}")
    return found
