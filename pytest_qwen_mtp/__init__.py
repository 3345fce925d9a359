"""pytest plugin and CI gate for Qwen served with multi-token prediction.

The public names; each is loaded when it is first used, because pytest imports this package in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_qwen_mtp.check import Checked, check_profile
    from pytest_qwen_mtp.findings import Certainty, Finding, Fix, Place, Reason, Severity
    from pytest_qwen_mtp.profiles.load import LoadOptions, load
    from pytest_qwen_mtp.profiles.model import Command, Loaded, NotSeen, Problem, ServeProfile, Word
    from pytest_qwen_mtp.registry.load import Registry, load_registry
    from pytest_qwen_mtp.rules import RULES
    from pytest_qwen_mtp.rules.model import Rule

__version__ = "0.1.0"

__all__ = [
    "RULES",
    "Certainty",
    "Checked",
    "Command",
    "Finding",
    "Fix",
    "LoadOptions",
    "Loaded",
    "NotSeen",
    "Place",
    "Problem",
    "Reason",
    "Registry",
    "Rule",
    "ServeProfile",
    "Severity",
    "Word",
    "__version__",
    "check_profile",
    "load",
    "load_registry",
]

_HOMES = {
    "pytest_qwen_mtp.check": ("Checked", "check_profile"),
    "pytest_qwen_mtp.findings": ("Certainty", "Finding", "Fix", "Place", "Reason", "Severity"),
    "pytest_qwen_mtp.profiles.load": ("LoadOptions", "load"),
    "pytest_qwen_mtp.profiles.model": ("Command", "Loaded", "NotSeen", "Problem", "ServeProfile", "Word"),
    "pytest_qwen_mtp.registry.load": ("Registry", "load_registry"),
    "pytest_qwen_mtp.rules": ("RULES",),
    "pytest_qwen_mtp.rules.model": ("Rule",),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
