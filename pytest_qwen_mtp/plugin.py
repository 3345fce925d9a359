"""The pytest plugin: options, ini keys and marker; a run of the gate is wired only when it is asked for.

This module is imported in every pytest run of an environment, so it imports nothing but pytest.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the gate, and an ini key for each."""
    group = parser.getgroup("qwen-mtp", "Qwen with multi-token prediction: deployment files")
    group.addoption(
        "--mtp-profiles",
        action="append",
        metavar="PATH",
        help="check the deployment files in PATH: a folder, a file, or several Compose files that belong together, "
        "joined as in COMPOSE_FILE (repeatable)",
    )
    group.addoption(
        "--mtp-engine-version",
        action="append",
        metavar="[SERVICE=]VERSION",
        help="release of the engine where the files do not name it (repeatable)",
    )
    group.addoption(
        "--mtp-fail-on",
        choices=("critical", "high", "medium", "low"),
        help="lowest severity of a definite finding that fails (default: high)",
    )
    group.addoption("--mtp-strict", action="store_true", default=None, help="a possible finding fails as well")
    group.addoption(
        "--mtp-env",
        action="store_true",
        default=None,
        help="variables of the files may come from the environment of this process",
    )
    group.addoption(
        "--mtp-report", action="append", metavar="FORMAT=PATH", help="write a report; formats: json (repeatable)"
    )
    parser.addini("mtp_profiles", "deployment files to check beside the tests, one path per line", type="linelist")
    parser.addini("mtp_engine_version", "as --mtp-engine-version, one per line", type="linelist")
    parser.addini("mtp_fail_on", "as --mtp-fail-on", default="high")
    parser.addini("mtp_strict", "as --mtp-strict", type="bool", default=False)
    parser.addini("mtp_env", "as --mtp-env", type="bool", default=False)
    parser.addini("mtp_report", "as --mtp-report, one per line", type="linelist")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """The hooks that other plugins may implement."""
    from pytest_qwen_mtp import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Start a run of the gate where the command line or the ini file names deployment files."""
    config.addinivalue_line("markers", "mtp: an item of the gate for Qwen with multi-token prediction")
    if config.getoption("mtp_profiles") or config.getini("mtp_profiles"):
        from pytest_qwen_mtp.gate import start

        start(config)
