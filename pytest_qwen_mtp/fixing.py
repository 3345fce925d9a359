"""``qwen-mtp fix``: reads the files, prints the changes, and writes them where that is asked for."""

from __future__ import annotations

import argparse
import codecs
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pytest_qwen_mtp.fix import Result, fix
from pytest_qwen_mtp.profiles.load import LoadOptions
from pytest_qwen_mtp.profiles.yamltree import Unreadable, read_text
from pytest_qwen_mtp.registry.load import load_registry
from pytest_qwen_mtp.reports.entries import shown_path
from pytest_qwen_mtp.reports.fixes import diff_of, fix_entry, fix_lines
from pytest_qwen_mtp.rules import RULES

STAYS = 3
"""Exit code where definite findings stay, or a change is left to the reader."""


def read_texts(paths: Sequence[Path]) -> dict[Path, str]:
    """The texts of the files that can be read; loading tells about the others."""
    texts = {}
    for path in paths:
        try:
            texts[path] = read_text(path)
        except Unreadable:
            continue
    return texts


def run(
    paths: Sequence[Path], load_options: LoadOptions, options: argparse.Namespace, root: Path
) -> tuple[Result, int]:
    """Prints, and with ``options.write`` writes; the result and the exit code. Raises ``ValueError`` for a service that
    no server has, ``OSError`` where a file cannot be written."""
    texts = read_texts(paths)
    result = fix(paths, load_options, load_registry(), RULES, texts, options.service)
    if options.service is not None and not result.servers:
        known = ", ".join(each.service for each in result.loaded.profiles if each.service) or "none"
        raise ValueError(f"--service: no inference server is named {options.service!r}; found {known}")
    names = {path: shown_path(str(path), root) for path in result.texts}
    diffs: dict[str, str] = {}
    hidden: list[str] = []
    for path, text in result.texts.items():
        diffs[names[path]], whole = diff_of(texts[path], text, names[path])
        hidden += [] if whole else [names[path]]
    written = bool(options.write and result.texts)
    if written:
        for path, text in result.texts.items():
            write(path, texts[path], text)
    if options.json:
        import json

        print(json.dumps(fix_entry(result.servers, diffs, written, root), ensure_ascii=False, indent=1))
    else:
        print(*fix_lines(result.servers, root), sep="\n")
        for text in diffs.values():
            sys.stdout.write(text)
    for name in hidden:
        print(
            f"qwen-mtp: {name}: a changed line holds a secret, which the diff hides; --write applies it",
            file=sys.stderr,
        )
    for name in names.values() if written else ():
        print(f"qwen-mtp: {name}: written", file=sys.stderr)
    stays = any(each.left or any(change.by_hand for change in each.changes) for each in result.servers)
    return result, STAYS if stays else 0


def write(path: Path, old: str, new: str) -> None:
    """Replaces the file as a whole or not at all; encoding, marks and permissions stay. A link's target is replaced.

    Raises ``OSError``, also where the file no longer holds ``old``.
    """
    path = path.resolve()
    data = path.read_bytes()
    if read_text(path) != old:
        raise OSError(f"{path} has changed since it was read")
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(encoded(new, data))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, path.stat().st_mode & 0o7777)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def encoded(text: str, like: bytes) -> bytes:
    """``text`` in the encoding of the bytes ``like``, with their mark."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if like.startswith(mark):
            return mark + text.encode(encoding)
    return text.encode("utf-8")
