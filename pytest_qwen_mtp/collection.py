"""Deployment files as pytest nodes: ProfileFile, ServiceNode, CheckItem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from pytest_qwen_mtp.check import CHECKS, check_profile, from_problem
from pytest_qwen_mtp.evidence import with_threshold
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.policy import Policy, fails, order
from pytest_qwen_mtp.reports.entries import accepted_text, finding_entry, profile_entry
from pytest_qwen_mtp.reports.failure import Failure, failure_of
from pytest_qwen_mtp.reports.links import link
from pytest_qwen_mtp.suppressions import has_mark, of_ignored, read_comments, text_of

if TYPE_CHECKING:
    from datetime import date

    from pytest_qwen_mtp.findings import Finding
    from pytest_qwen_mtp.profiles.model import Loaded, ServeProfile
    from pytest_qwen_mtp.registry.load import Registry
    from pytest_qwen_mtp.rules.model import Rule


class Run(Protocol):
    """What the nodes need from the run they belong to."""

    root: Path
    policy: Policy

    @property
    def today(self) -> date: ...
    @property
    def uses_baseline(self) -> bool: ...
    def id_of(self, name: str) -> str | None: ...
    def accept(self, findings: Sequence[Sequence[Finding]]) -> list[list[Finding]]: ...
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
        self._found: tuple[Finding, ...] = ()
        self._read: tuple[str, ...] = ()
        self._servers: list[ServiceNode] = []
        self._is_marked: bool | None = None
        self._is_settled = False
        self._loaded = loaded
        # One mark on the file is found by -m for every item below it, and costs nothing per item.
        self.add_marker("mtp")

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        loaded, self._loaded = self._loaded or self.run.load(self.paths), None
        self.run.collected(loaded)
        self._read = tuple(dict.fromkeys((*map(str, self.paths), *loaded.files)))
        if loaded.problems:
            self._found = tuple(order(from_problem(problem) for problem in loaded.problems))
            yield CheckItem.from_parent(self, name="profile")
        for name, profile in named(loaded.profiles):
            node: ServiceNode = ServiceNode.from_parent(self, name=name, profile=profile)
            self._servers.append(node)
            yield node

    @property
    def findings(self) -> tuple[Finding, ...]:
        self.settle(self._found)
        return self._found

    def settle(self, findings: Sequence[Finding]) -> None:
        """Sees to it that suppressions and the baseline have been applied to all servers, where there are any.

        Both need the whole file: a comment that no server of it needs is unused, and the baseline counts.
        """
        if self._is_settled:
            return
        if self._is_marked is None:
            self._is_marked = any(map(has_mark, self._read))
        others = dict.fromkeys(each.place.path for each in findings if each.place.path not in self._read)
        if self._is_marked or self.run.uses_baseline or any(map(has_mark, others)):
            self._is_settled = True
            self._apply()

    def _apply(self) -> None:
        from pytest_qwen_mtp.accepted import Server, suppress

        nodes = self._servers
        found = {node.name: node.check() for node in nodes}
        found[""] = self._found
        servers = [Server("", None, Place(str(self.path)))]
        servers += [Server(node.name, node.service, node.place, node.accepts) for node in nodes]
        pointed = (each.place.path for group in found.values() for each in group)
        paths = dict.fromkeys((*self._read, *pointed))
        comments = [each for path in paths for each in read_comments(text_of(path), path)]
        told = suppress(found, servers, comments, map(str, self.paths), self.run.id_of, self.run.today)
        groups = [told[server.name] for server in servers]
        if self.run.uses_baseline:
            groups = self.run.accept(groups)
        self._found, *others = (tuple(order(group)) for group in groups)
        for node, group in zip(nodes, others, strict=True):
            node.replace(group)


class ServiceNode(pytest.Collector):
    """One inference server of a file. It is checked once, when its first item runs; only the outcome stays."""

    def __init__(self, *, profile: ServeProfile, **node: Any) -> None:
        super().__init__(**node)
        self._profile: ServeProfile | None = profile
        self._findings: tuple[Finding, ...] = ()
        self._entry: dict[str, Any] | None = None
        self.weights_unread: str | None = None
        self.service = profile.service
        self.place = profile.place
        self.line = profile.place.line or 1
        self.accepts = tuple(of_ignored(profile.stated.get("ignore", ())))

    def collect(self) -> Iterator[CheckItem]:
        for name in CHECKS:
            yield CheckItem.from_parent(self, name=name)

    def check(self) -> tuple[Finding, ...]:
        """Its findings, before any of them is accepted."""
        if self._profile is not None:
            run = _run_of(self)
            checked = check_profile(self._profile, run.registry, run.rules)
            self._entry = profile_entry(checked.profile, checked.readings, run.root)
            least = run.policy.min_evidence
            self._findings = tuple(with_threshold(finding, least) for finding in checked.findings)
            self.weights_unread = checked.weights_unread
            self._profile = None
        return self._findings

    def replace(self, findings: Sequence[Finding]) -> None:
        """Keep ``findings`` in the place of what was found."""
        self._findings = tuple(findings)

    @property
    def findings(self) -> tuple[Finding, ...]:
        file = self.parent
        assert isinstance(file, ProfileFile)
        file.settle(self.check())
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
                ("suppressed", accepted_text(finding.suppressed)),
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
