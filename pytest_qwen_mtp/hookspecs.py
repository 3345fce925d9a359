"""What other plugins may add to the gate: readers of further files, folders of registry entries, rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_qwen_mtp.profiles.load import LoadOptions
    from pytest_qwen_mtp.profiles.model import Loaded
    from pytest_qwen_mtp.rules.model import Rule


@pytest.hookspec(firstresult=True)
def pytest_mtp_load_profile(paths: Sequence[Path], options: LoadOptions) -> Loaded | None:
    """Read a deployment file that the plugin knows better. None: it is left to the next reader.

    Called for every file that ``--mtp-profiles`` names or finds, before the plugin's own readers, so answer by name
    first. Nothing read may be executed.
    """


@pytest.hookspec
def pytest_mtp_registry_folders(config: pytest.Config) -> Sequence[Path]:
    """Folders with further registry entries (``*.yaml``, schema ``registry-entry.schema.json``)."""
    return ()


@pytest.hookspec
def pytest_mtp_rules(config: pytest.Config) -> Sequence[Rule]:
    """Further rules."""
    return ()
