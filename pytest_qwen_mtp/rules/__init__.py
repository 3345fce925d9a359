"""Checks that need code rather than a registry entry: one module per rule, listed here.

The id of a rule is the name of its module with dashes.
"""

from __future__ import annotations

from pytest_qwen_mtp.rules import empty_model, invalid_speculative_config, unresolved_variable, version_unpinned
from pytest_qwen_mtp.rules.model import Rule

RULES: tuple[Rule, ...] = (
    empty_model.RULE,
    invalid_speculative_config.RULE,
    unresolved_variable.RULE,
    version_unpinned.RULE,
)
