"""Checks that need code rather than a registry entry: one module per rule, listed here.

The id of a rule is the name of its module with dashes.
"""

from __future__ import annotations

from pytest_qwen_mtp.rules import (
    broken_default_brace,
    broken_line_continuation,
    commented_flag_ends_command,
    deprecated_spec_method,
    duplicate_serve,
    empty_model,
    env_after_command,
    gpu_count_mismatch,
    ignored_env_var,
    invalid_flag_value,
    invalid_speculative_config,
    not_yet_flag,
    removed_flag,
    renamed_flag,
    unknown_flag,
    unknown_spec_method,
    unresolved_variable,
    version_unpinned,
)
from pytest_qwen_mtp.rules.model import Rule

RULES: tuple[Rule, ...] = (
    broken_default_brace.RULE,
    broken_line_continuation.RULE,
    commented_flag_ends_command.RULE,
    deprecated_spec_method.RULE,
    duplicate_serve.RULE,
    empty_model.RULE,
    env_after_command.RULE,
    gpu_count_mismatch.RULE,
    ignored_env_var.RULE,
    invalid_flag_value.RULE,
    invalid_speculative_config.RULE,
    not_yet_flag.RULE,
    removed_flag.RULE,
    renamed_flag.RULE,
    unknown_flag.RULE,
    unknown_spec_method.RULE,
    unresolved_variable.RULE,
    version_unpinned.RULE,
)
