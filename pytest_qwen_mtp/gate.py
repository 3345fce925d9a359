"""A run of the gate inside pytest: which paths are collected, what the items share, and what is told at the end."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterable, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from pytest_qwen_mtp.collection import CheckItem, ProfileFile
from pytest_qwen_mtp.findings import Finding, Place
from pytest_qwen_mtp.options import GateOptions
from pytest_qwen_mtp.profiles.load import LoadOptions, kind_of, load
from pytest_qwen_mtp.profiles.model import Loaded, NotSeen
from pytest_qwen_mtp.registry.load import Registry, RegistryError, load_registry
from pytest_qwen_mtp.reports.entries import not_seen_entry, shown_path
from pytest_qwen_mtp.reports.tally import Tally
from pytest_qwen_mtp.rules import RULES
from pytest_qwen_mtp.rules.model import Rule


def start(config: pytest.Config) -> None:
    """Read the options and register the run. Raises ``pytest.UsageError`` with a sentence."""
    given: list[str] = config.getoption("mtp_profiles") or []
    ini_folder = config.inipath.parent if config.inipath else config.rootpath

    def option(name: str) -> Any:
        value = config.getoption(name)
        return config.getini(name) if value is None else value

    def folder_of(name: str) -> Path:
        return config.invocation_params.dir if config.getoption(name) else ini_folder

    try:
        options = GateOptions.read(
            profiles=given or config.getini("mtp_profiles"),
            folder=config.invocation_params.dir if given else ini_folder,
            engine_versions=option("mtp_engine_version"),
            fail_on=option("mtp_fail_on"),
            strict=option("mtp_strict"),
            use_environment=option("mtp_env"),
            reports=option("mtp_report"),
            report_folder=folder_of("mtp_report"),
            min_evidence=option("mtp_min_evidence"),
            registry=option("mtp_registry"),
            registry_folder=folder_of("mtp_registry"),
            baseline=option("mtp_baseline_findings"),
            baseline_folder=folder_of("mtp_baseline_findings"),
            write_baseline=config.getoption("mtp_write_baseline"),
        )
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    gate = Gate(config, options, asked=bool(given))
    config.pluginmanager.register(gate, "qwen_mtp_gate")
    if options.registry or config.hook.pytest_mtp_registry_folders.get_hookimpls():
        # Entries of the user's own are checked before anything runs: a mistake in them is a usage error.
        _ = gate.registry


class Gate:
    """The hooks of one run, and what its nodes share (``collection.Run``).

    ``asked``: the command line names the deployment files. Without paths of its own pytest then collects nothing
    else; files named in the ini file are checked beside the tests.
    """

    def __init__(self, config: pytest.Config, options: GateOptions, asked: bool) -> None:
        self.config = config
        self.options = options
        self.asked = asked
        self.root = config.rootpath
        self.policy = options.policy
        self.tally = Tally(keep_profiles=bool(options.reports))
        self._groups = {paths[0]: paths for paths in options.profiles}
        self._members = {path for paths in options.profiles for path in paths[1:]}
        self._load_options = LoadOptions(environment=options.environment, engine_versions=options.engine_versions)
        self._read_by_others: dict[Path, Loaded] = {}
        self._kinds: dict[Path, bool] = {}
        self._claimed = self._opened = self._items = 0
        self._partial = False
        self._problems: list[str] = []
        self._wanted = self._place_arguments()

    # -- what the nodes share

    @cached_property
    def registry(self) -> Registry:
        folders = self.config.hook.pytest_mtp_registry_folders(config=self.config)
        try:
            registry = load_registry([*self.options.registry, *(folder for each in folders for folder in each)])
            # The registry lives as long as the run: the collector need not look through it again and again.
            gc.freeze()
            return registry
        except RegistryError as error:
            raise pytest.UsageError(*(f"{place}: {message}" for place, message in error.errors)) from None

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        added = self.config.hook.pytest_mtp_rules(config=self.config)
        return (*RULES, *(rule for each in added for rule in each))

    @cached_property
    def today(self) -> date:
        return date.today()

    def id_of(self, name: str) -> str | None:
        """The id behind a name or alias of a rule or known bug."""
        from pytest_qwen_mtp.accepted import id_of

        return id_of(name, self.registry, self.rules)

    @property
    def uses_baseline(self) -> bool:
        return self.options.baseline_path is not None

    def accept(self, findings: Sequence[Sequence[Finding]]) -> list[list[Finding]]:
        from pytest_qwen_mtp.baseline import accept

        return accept(findings, self.options.baseline, self.root)

    def load(self, paths: Sequence[Path]) -> Loaded:
        return self._read_by_others.pop(paths[0], None) or load(paths, self._load_options)

    def collected(self, loaded: Loaded) -> None:
        """A file was opened."""
        self._opened += 1
        self._items += bool(loaded.profiles or loaded.problems)
        self.tally.add_not_seen(not_seen_entry(each, self.root) for each in loaded.not_seen)

    # -- collection

    def _place_arguments(self) -> tuple[Path, ...]:
        """Put the deployment files among pytest's arguments; returns the paths that the user named beside them."""
        config = self.config
        # A path inside another one is found there; given twice, releases of pytest differ in what they collect.
        roots = [str(path) for path in self._groups if not any(other in path.parents for other in self._groups)]
        named = config.args_source is config.ArgsSource.ARGS
        if self.asked and not named:
            config.args = roots
            return ()
        wanted = [self._path_of(argument) for argument in config.args]
        inside = any(self._is_ours(path) for path in wanted)
        # Node ids and paths inside the deployment files choose among them; other paths come on top of them.
        if not inside and (self.asked or not named):
            above = set(wanted)
            config.args = [*config.args, *(root for root in roots if not above.intersection(Path(root).parents))]
        return tuple(path for path in wanted if not self._is_ours(path))

    def _path_of(self, argument: str) -> Path:
        return Path(os.path.normpath(self.config.invocation_params.dir / argument.partition("::")[0]))

    def _is_ours(self, path: Path) -> bool:
        return any(path == root or root in path.parents for root in self._groups)

    def _claims(self, path: Path) -> bool:
        """Whether this run reads the file."""
        known = self._kinds.get(path)
        if known is None:
            known = self._kinds[path] = path not in self._members and (
                path in self._groups or (self._is_ours(path) and (self._others_read(path) or kind_of(path) is not None))
            )
        return known

    def _others_read(self, path: Path) -> bool:
        hook = self.config.hook.pytest_mtp_load_profile
        if not hook.get_hookimpls():
            return False
        loaded = hook(paths=self._groups.get(path, (path,)), options=self._load_options)
        if loaded is not None:
            self._read_by_others[path] = loaded
        return loaded is not None

    @pytest.hookimpl(wrapper=True)
    def pytest_ignore_collect(self, collection_path: Path) -> Generator[None, bool | None, bool | None]:
        ignored = yield
        if not self._is_ours(collection_path):
            return ignored
        if collection_path.is_dir():
            if any(collection_path in (named, *named.parents) for named in self._groups):
                return None  # it was named, or a path below it
            if ignored and not collection_path.name.startswith((".", "__")):
                self._skipped(collection_path, "folder not searched: pytest ignores it (norecursedirs or --ignore)")
            return ignored or _loops(collection_path)
        if ignored or self._claims(collection_path):
            return ignored
        # Tests beside the deployment files are collected only where the user asked for them.
        return not any(path == collection_path or path in collection_path.parents for path in self._wanted) or None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path) -> None:
        """Tells what pytest passes over in silence: links that lead nowhere."""
        if not self._is_ours(path):
            return
        for each in _dead_links(path):
            self._skipped(each, "a link that leads nowhere: its target is missing or leads back to it")

    def _skipped(self, path: Path, what: str) -> None:
        self.tally.add_not_seen([not_seen_entry(NotSeen(what, Place(str(path))), self.root)])

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        if not self._claims(file_path):
            return None
        self._claimed += 1
        paths = self._groups.get(file_path, (file_path,))
        node: ProfileFile = ProfileFile.from_parent(parent, path=file_path, run=self, paths=paths)
        return node

    def pytest_collection_modifyitems(self) -> None:
        if not self._is_controller and self._found_nothing:
            raise pytest.UsageError(self._nothing)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._partial = self._partial or any(isinstance(item, CheckItem) for item in items)

    @property
    def _is_controller(self) -> bool:
        """Whether the items run in other processes (pytest-xdist)."""
        return bool(getattr(self.config.option, "dist", "no") != "no" and not self._is_worker)

    @property
    def _is_worker(self) -> bool:
        return hasattr(self.config, "workerinput")

    @property
    def _found_nothing(self) -> bool:
        # With --lf pytest does not open files without failures: they were found all the same.
        return self.asked and self._items == 0 and self._opened == self._claimed

    @property
    def _nothing(self) -> str:
        given = ", ".join(os.pathsep.join(map(str, paths)) for paths in self.options.profiles)
        folders = [paths[0].name for paths in self.options.profiles if paths[0].is_dir() and paths[0].suffix]
        folder = f" ({', '.join(folders)}: this is a folder, not a file)" if folders else ""
        unread = [f"{each['path']}: {each['what']}" for each in self.tally.not_seen.values()]
        more = f"; not read: {'; '.join(unread[:3])}{' …' if len(unread) > 3 else ''}" if unread else ""
        return f"--mtp-profiles {given}{folder}: no file there starts an inference server that is known here{more}"

    # -- running

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if isinstance(item, CheckItem):
            # Plain JSON on the report: pytest-xdist carries it to the process that tells the result.
            outcome, item.outcome = item.outcome, None
            server = "" if isinstance(item.parent, ProfileFile) else item.parent.name
            told = None if outcome is None else {"node": [str(item.path), server], **outcome}
            report.mtp = told  # type: ignore[attr-defined]
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._is_worker or "mtp" not in report.__dict__:
            return
        outcome = report.__dict__.pop("mtp")
        if outcome is not None:
            self.tally.add(tuple(outcome["node"]), outcome)
        elif report.passed and not report.sections:
            self._forget(report)

    def _forget(self, report: pytest.TestReport) -> None:
        """Take a set-up or tear-down without content out of the terminal's list again.

        pytest keeps them all and goes through all of them for each failure that it prints: with a failure in each of
        10,000 files that takes longer than the checks.
        """
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        kept = terminal.stats.get("") if terminal is not None else None
        if kept and kept[-1] is report:
            kept.pop()

    # -- telling

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        sent = getattr(node, "workeroutput", {}).get("mtp")
        if sent is None:
            return
        # Every worker opens every file, so the fullest count is the count.
        self._claimed, self._opened = max(self._claimed, sent["claimed"]), max(self._opened, sent["opened"])
        self._items = max(self._items, sent["items"])
        self._partial = self._partial or sent["partial"]
        self.tally.add_not_seen(sent["not_seen"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._is_worker:
            self.config.workeroutput["mtp"] = {  # type: ignore[attr-defined]
                "claimed": self._claimed,
                "opened": self._opened,
                "items": self._items,
                "partial": self._partial,
                "not_seen": list(self.tally.not_seen.values()),
            }
            return
        self._problems = [*self._write_reports(), *self._write_baseline()]
        if self._is_controller and self._found_nothing:
            self._problems.append(self._nothing)
        if self._problems and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def _write_reports(self) -> Iterable[str]:
        """Writes each report; yields a sentence for each that could not be written."""
        if self.config.getoption("collectonly", False):
            return
        for _, path in self.options.reports:
            from pytest_qwen_mtp.reports import json_report

            try:
                json_report.write(path, json_report.report(self.tally, self.registry))
            except OSError as error:
                yield f"--mtp-report: cannot write {path}: {error.strerror or error}"

    @property
    def _was_whole(self) -> bool:
        """Whether every check of every file ran."""
        if self._partial or self._opened < self._claimed or any("::" in argument for argument in self.config.args):
            return False
        session = self.config.pluginmanager.get_plugin("session")
        stopped = session is not None and (session.shouldstop or session.shouldfail)
        return not stopped and not self.config.getoption("collectonly", False)

    def _write_baseline(self) -> Iterable[str]:
        """Writes the baseline where that is asked; yields a sentence where it could not be written."""
        path = self.options.baseline_path
        if path is None or not self.options.write_baseline or self.config.getoption("collectonly", False):
            return
        if not self._was_whole:
            yield "--mtp-write-baseline: only a part of the checks ran; nothing is written. Run all of them"
            return
        from pytest_qwen_mtp.baseline import baseline_of, elsewhere
        from pytest_qwen_mtp.reports.json_report import write

        try:
            kept = elsewhere(path, lambda shown: self._is_ours(self.root / shown))
            write(path, baseline_of(self.tally.findings.values(), kept))
        except OSError as error:
            yield f"--mtp-baseline-findings: cannot write {path}: {error.strerror or error}"

    def _gone(self) -> list[str]:
        """A line about what the baseline holds and no file has any more."""
        baseline, path = self.options.baseline, self.options.baseline_path
        if baseline is None or path is None or not self._was_whole:
            return []
        from pytest_qwen_mtp.baseline import gone

        keys = [key for key in gone(baseline, self.tally.findings.values()) if self._is_ours(self.root / key[1])]
        rules = ", ".join(dict.fromkeys(key[0] for key in keys))
        name = shown_path(str(path), self.root)
        return (
            [f"{len(keys)} of {name} no longer occur ({rules}): write it again with --mtp-write-baseline"]
            if keys
            else []
        )

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for problem in self._problems:
            terminalreporter.write_line(f"ERROR: {problem}", red=True)
        if self.config.getoption("collectonly", False) or not self.tally.files:
            return
        from pytest_qwen_mtp.reports.terminal import summary_lines

        for line in summary_lines(self.tally, self.policy, self.config.get_verbosity() > 0):
            terminalreporter.write_line(line if line.startswith(" ") else f"qwen-mtp: {line}")
        for line in self._gone():
            terminalreporter.write_line(f"qwen-mtp: {line}")


def _dead_links(folder: Path) -> list[Path]:
    """Links in ``folder`` that have the name of a deployment file and no file behind them."""
    try:
        with os.scandir(folder) as entries:
            links = [Path(entry.path) for entry in entries if entry.is_symlink()]
    except OSError:
        return []
    endings = (".yaml", ".yml", ".sh", ".bash")
    return sorted(link for link in links if link.suffix in endings and not link.exists())


def _loops(folder: Path) -> bool | None:
    """True for a link back to a folder above it, else None."""
    if not folder.is_symlink():
        return None
    try:
        target = folder.resolve(strict=True)
    except (OSError, RuntimeError):
        return True
    return target in folder.parent.resolve().parents or target == folder.parent.resolve() or None
