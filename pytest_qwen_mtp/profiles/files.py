"""Which text lies at a path that a process sees: mounted, copied into the image, or written by its own script."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path

from pytest_qwen_mtp.profiles.text import SourceText

LIMIT = 2_000_000
"""Bytes. A larger companion file is not read."""


class FileView:
    """Text by absolute path inside the process's file system.

    ``mounts`` maps a path there to a file or folder here; the longest match wins. ``written`` holds text that the
    file itself provides (here-documents, inline configs). Nothing outside the mounted paths is ever opened.
    ``directory`` is the working folder there, from which relative paths are taken; None where it is not known.
    """

    __slots__ = ("_bases", "directory", "mounts", "written")

    def __init__(
        self,
        mounts: Mapping[str, Path] | None = None,
        written: Mapping[str, SourceText] | None = None,
        directory: str | None = None,
    ) -> None:
        self.mounts = dict(mounts or {})
        self.written = dict(written or {})
        self.directory = directory
        self._bases: list[tuple[str, Path]] | None = None

    def with_written(self, path: str, text: SourceText) -> FileView:
        return FileView(self.mounts, {**self.written, self.absolute(path): text}, self.directory)

    def in_directory(self, directory: str | None) -> FileView:
        return self if directory == self.directory else FileView(self.mounts, self.written, directory)

    def absolute(self, path: str) -> str:
        """The path from the root; a relative one stays as it is where the working folder is not known."""
        return posixpath.normpath(posixpath.join(self.directory or "", path))

    def find(self, path: str) -> Path | None:
        """The file or folder here that stands at ``path`` there, or None."""
        if not self.mounts:
            return None
        wanted = self.absolute(path)
        if self._bases is None:
            bases = [(posixpath.normpath(target), here) for target, here in self.mounts.items()]
            self._bases = sorted(bases, key=lambda each: len(each[0]), reverse=True)
        for base, here in self._bases:
            if wanted == base:
                return here
            if wanted.startswith(base.rstrip("/") + "/"):
                return here / wanted[len(base) :].lstrip("/")
        return None

    def holds(self, path: str) -> bool:
        """Whether a file stands at ``path``."""
        if self.absolute(path) in self.written:
            return True
        found = self.find(path)
        return found is not None and found.is_file()

    def wrote(self, path: str) -> bool:
        """Whether the profile itself provides the text at ``path``, which may be a reference to an unknown name."""
        return self.absolute(path) in self.written

    def read(self, path: str) -> SourceText | None:
        """The text at ``path``, or None where nothing readable lies there (missing, too large, not UTF-8)."""
        written = self.written.get(self.absolute(path))
        if written is not None:
            return written
        found = self.find(path)
        try:
            if found is None or not found.is_file() or found.stat().st_size > LIMIT:
                return None
            return SourceText.of_file(found.read_text(encoding="utf-8"), str(found))
        except (OSError, UnicodeDecodeError, ValueError):
            return None


NO_FILES = FileView()
