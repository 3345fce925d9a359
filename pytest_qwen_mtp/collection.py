"""Deployment files as pytest nodes: ProfileFile, ServiceNode, CheckItem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from pytest_qwen_mtp.check import CHECKS, check_profile, from_problem
from pytest_qwen_mtp.policy import Policy, fails, order
from pytest_qwen_mtp.reports.entries import finding_entry, profile_entry
from pytest_qwen_mtp.reports.failure import Failure, failure_of
from pytest_qwen_mtp.reports.links import link

if TYPE_CHECKING:
    from pytest_qwen_mtp.findings import Finding
    from pytest_qwen_mtp.profiles.model import Loaded, ServeProfile
    from pytest_qwen_mtp.registry.load import Registry
    from pytest_qwen_mtp.rules.model import Rule


class Run(Protocol):
    """What the nodes need from the run they belong to."""

    root: Path
    policy: Policy

    @property
    def registry(self) -> Registry: ...
    @property
    def rules(self) -> Sequence[Rule]: ...
    def load(self, paths: Sequence[Path]) -> Loaded: ...
    def collected(self, loaded: Loaded) -> None: ...


class FindingsFail(Exception):
    """Raised by an item whose findings reach the threshold."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(", ".join(dict.fromkeys(finding.rule for finding in findings)))
        self.findings = tuple(findings)


class ProfileFile(pytest.File):
    """One deployment file, or several Compose files that belong together.

    Its own ``profile`` item exists only where something is wrong with the file itself.
    """

    def __init__(self, *, run: Run, paths: Sequence[Path], loaded: Loaded | None = None, **node: Any) -> None:
        super().__init__(**node)
        self.run = run
        self.paths = tuple(paths)
        self.findings: tuple[Finding, ...] = ()
        self._loaded = loaded
        # One mark on the file is found by -m for every item below it, and costs nothing per item.
        self.add_marker("mtp")

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        loaded, self._loaded = self._loaded or self.run.load(self.paths), None
        self.run.collected(loaded)
        if loaded.problems:
            self.findings = tuple(order(from_problem(problem) for problem in loaded.problems))
            yield CheckItem.from_parent(self, name="profile")
        for name, profile in named(loaded.profiles):
            yield ServiceNode.from_parent(self, name=name, profile=profile)


class ServiceNode(pytest.Collector):
    """One inference server of a file. It is checked once, when its first item runs; only the outcome stays."""

    def __init__(self, *, profile: ServeProfile, **node: Any) -> None:
        super().__init__(**node)
        self._profile: ServeProfile | None = profile
        self._findings: tuple[Finding, ...] = ()
        self._entry: dict[str, Any] | None = None
        self.weights_unread: str | None = None
        self.line = profile.place.line or 1

    def collect(self) -> Iterator[CheckItem]:
        for name in CHECKS:
            yield CheckItem.from_parent(self, name=name)

    @property
    def findings(self) -> tuple[Finding, ...]:
        if self._profile is not None:
            run = _run_of(self)
            checked = check_profile(self._profile, run.registry, run.rules)
            self._entry = profile_entry(checked.profile, checked.readings, run.root)
            self._findings, self.weights_unread = checked.findings, checked.weights_unread
            self._profile = None
        return self._findings

    def take_entry(self) -> dict[str, Any] | None:
        """The server as the reports show it; once only, so that it crosses from a worker once."""
        entry, self._entry = self._entry, None
        return entry


class CheckItem(pytest.Item):
    """One question about one server (or about the file as a whole)."""

    parent: ProfileFile | ServiceNode
    outcome: dict[str, Any] | None = None

    def runtest(self) -> None:
        parent, run = self.parent, _run_of(self)
        findings = tuple(finding for finding in parent.findings if finding.check == self.name)
        unread = parent.weights_unread if isinstance(parent, ServiceNode) and self.name == "weights" else None
        self.outcome = {
            "findings": [finding_entry(finding, run.root) for finding in findings],
            "profile": parent.take_entry() if isinstance(parent, ServiceNode) else None,
        }
        self._set_properties(findings)
        if any(fails(finding, run.policy) for finding in findings):
            # What fails the item first, so that the headline names it.
            raise FindingsFail(tuple(sorted(findings, key=lambda each: not fails(each, run.policy))))
        if unread is not None:
            pytest.skip(unread)

    def _set_properties(self, findings: Sequence[Finding]) -> None:
        self.user_properties = [
            (f"mtp.{key}", value)
            for finding in findings
            for key, value in (
                ("rule", finding.rule),
                ("severity", str(finding.severity)),
                ("certainty", str(finding.certainty)),
                *(("url", link(reference)) for reference in finding.references),
            )
            if value is not None
        ]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, FindingsFail):
            return self._failure(excinfo.value)
        return super().repr_failure(excinfo, style)

    def _failure(self, error: FindingsFail) -> Failure:
        return failure_of(error.findings, _run_of(self).root)

    def reportinfo(self) -> tuple[Path, int, str]:
        parent = self.parent
        if isinstance(parent, ServiceNode):
            return self.path, parent.line - 1, f"{parent.name}::{self.name}"
        return self.path, 0, f"{self.path.name}::{self.name}"


def named(profiles: Sequence[ServeProfile]) -> Iterator[tuple[str, ServeProfile]]:
    """Each server with a name of its own: the service's, or ``server`` where the file gives none."""
    used: dict[str, int] = {}
    for profile in profiles:
        name = profile.service or "server"
        used[name] = used.get(name, 0) + 1
        yield (name if used[name] == 1 else f"{name}-{used[name]}"), profile


def _run_of(node: pytest.Item | pytest.Collector) -> Run:
    file = node.getparent(ProfileFile)
    assert file is not None
    return file.run
