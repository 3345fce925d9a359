"""What the user asked for on the command line and in the ini file, as checked values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_qwen_mtp.evidence import parse_evidence
from pytest_qwen_mtp.findings import Severity
from pytest_qwen_mtp.policy import Policy

if TYPE_CHECKING:
    from pytest_qwen_mtp.baseline import Baseline

REPORT_FORMATS = ("json",)


@dataclass(frozen=True, slots=True)
class GateOptions:
    """``profiles``: each a folder, a file, or several Compose files that belong together (absolute paths).

    ``engine_versions`` maps a service name (None: every service) to a PEP 440 text. ``environment`` is None unless
    the process environment may fill in variables. ``reports`` are ``(format, path)`` pairs.
    ``registry`` are folders of the user's own entries. ``baseline_path`` is the file of accepted findings and
    ``baseline`` what it holds; None where there is none, or where it is to be written.
    """

    profiles: tuple[tuple[Path, ...], ...]
    engine_versions: Mapping[str | None, str]
    policy: Policy
    environment: Mapping[str, str] | None
    reports: tuple[tuple[str, Path], ...]
    registry: tuple[Path, ...] = ()
    baseline_path: Path | None = None
    baseline: Baseline | None = None
    write_baseline: bool = False

    @classmethod
    def read(
        cls,
        *,
        profiles: Iterable[str],
        folder: Path,
        engine_versions: Iterable[str] = (),
        fail_on: str = "high",
        strict: bool = False,
        use_environment: bool = False,
        reports: Iterable[str] = (),
        report_folder: Path | None = None,
        min_evidence: str | None = None,
        registry: Iterable[str] = (),
        registry_folder: Path | None = None,
        baseline: str | None = None,
        baseline_folder: Path | None = None,
        write_baseline: bool = False,
    ) -> GateOptions:
        """The checked options; relative paths count from ``folder``. Raises ``ValueError`` with one sentence."""
        path = _absolute(baseline, baseline_folder or folder) if baseline else None
        if write_baseline and path is None:
            raise ValueError("--mtp-write-baseline needs --mtp-baseline-findings FILE, the file to write")
        return cls(
            profiles=tuple(read_paths(each, folder) for each in profiles),
            engine_versions=read_versions(engine_versions),
            policy=Policy(Severity.parse(fail_on), strict, _evidence(min_evidence)),
            environment=dict(os.environ) if use_environment else None,
            reports=tuple(read_report(each, report_folder or folder) for each in reports),
            registry=tuple(_absolute(each, registry_folder or folder) for each in registry),
            baseline_path=path,
            baseline=None if path is None or write_baseline else _read_baseline(path),
            write_baseline=write_baseline,
        )


def _evidence(text: str | None) -> str | None:
    if not text:
        return None
    try:
        return parse_evidence(text)
    except ValueError as error:
        raise ValueError(f"--mtp-min-evidence: {error}") from None


def _read_baseline(path: Path) -> Baseline:
    from pytest_qwen_mtp.baseline import read_baseline

    try:
        return read_baseline(path)
    except ValueError as error:
        raise ValueError(f"--mtp-baseline-findings: {error}") from None


def read_paths(text: str, folder: Path, option: str = "--mtp-profiles") -> tuple[Path, ...]:
    """The paths of one ``option`` value: a path, or several files joined with ``os.pathsep`` as in ``COMPOSE_FILE``."""
    whole = _absolute(text, folder)
    if os.pathsep not in text or whole.exists():
        if not text.strip():
            raise ValueError(f"{option} is empty; expected a folder or a file")
        if not whole.exists():
            raise ValueError(f"{option}: {text} does not exist; expected a folder or a file")
        return (whole,)
    paths = []
    for part in filter(None, text.split(os.pathsep)):
        path = _absolute(part, folder)
        if not path.exists():
            raise ValueError(f"{option}: {part} (in {text}) does not exist; expected a file")
        if path.is_dir():
            raise ValueError(f"{option}: {part} (in {text}) is a folder; only files can be joined")
        paths.append(path)
    return tuple(paths)


def read_versions(texts: Iterable[str], option: str = "--mtp-engine-version") -> dict[str | None, str]:
    """``[SERVICE=]VERSION`` texts as a map; the version in its PEP 440 normal form."""
    from packaging.version import InvalidVersion, Version

    versions: dict[str | None, str] = {}
    for text in texts:
        service, equals, version = text.rpartition("=")
        if equals and not service.strip():
            raise ValueError(f"{option} {text!r}: no service name before '='")
        try:
            versions[service.strip() if equals else None] = str(Version(version.strip()))
        except InvalidVersion:
            raise ValueError(
                f"{option} {text!r}: {version.strip()!r} is not a PEP 440 version; expected a release "
                "such as 0.32.0 or SERVICE=0.5.4.post1"
            ) from None
    return versions


def read_report(text: str, folder: Path) -> tuple[str, Path]:
    """One ``FORMAT=PATH``."""
    kind, equals, path = text.partition("=")
    if not equals or not path.strip():
        raise ValueError(f"--mtp-report {text!r}: expected FORMAT=PATH, such as json=mtp.json")
    if kind.strip() not in REPORT_FORMATS:
        known = ", ".join(REPORT_FORMATS)
        raise ValueError(f"--mtp-report {text!r}: unknown format {kind.strip()!r}; expected one of {known}")
    return kind.strip(), _absolute(path.strip(), folder)


def _absolute(text: str, folder: Path) -> Path:
    # normpath and not resolve: a symbolic link keeps its own name, as pytest keeps it in node ids.
    return Path(os.path.normpath(folder / Path(text).expanduser()))
