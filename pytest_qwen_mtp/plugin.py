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
    group.addoption(
        "--mtp-min-evidence",
        metavar="LEVEL",
        help="known bugs with less evidence fail nothing: read-in-source, one-reporter, several-reporters, fix-merged "
        "or confirmed, from the weakest (default: all may fail, but one reporter never makes a definite critical)",
    )
    group.addoption(
        "--mtp-registry", action="append", metavar="DIR", help="folder with registry entries of your own (repeatable)"
    )
    group.addoption(
        "--mtp-baseline-findings",
        metavar="FILE",
        help="findings that FILE holds fail nothing, new ones do; for adopting the gate on an old repository",
    )
    group.addoption(
        "--mtp-write-baseline",
        action="store_true",
        default=False,
        help="accept all findings of this run: write them to the FILE of --mtp-baseline-findings",
    )
    parser.addini("mtp_profiles", "deployment files to check beside the tests, one path per line", type="linelist")
    parser.addini("mtp_engine_version", "as --mtp-engine-version, one per line", type="linelist")
    parser.addini("mtp_fail_on", "as --mtp-fail-on", default="high")
    parser.addini("mtp_strict", "as --mtp-strict", type="bool", default=False)
    parser.addini("mtp_env", "as --mtp-env", type="bool", default=False)
    parser.addini("mtp_report", "as --mtp-report, one per line", type="linelist")
    parser.addini("mtp_min_evidence", "as --mtp-min-evidence", default="")
    parser.addini("mtp_registry", "as --mtp-registry, one per line", type="linelist")
    parser.addini("mtp_baseline_findings", "as --mtp-baseline-findings", default="")


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
