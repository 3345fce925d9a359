"""What a launch script really starts: real bash runs it in a folder of its own, with recording programs on its PATH.

Everything a script could reach is a stub (see ``stubs``): no server, no network, no other process is touched. An
absolute path that the script needs is moved below the folder by rewriting the text, and moved back in the result.
"""

from __future__ import annotations

import atexit
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import stubs

AVAILABLE = shutil.which("bash") is not None and Path("/proc/self/environ").exists()
"""Whether this machine can judge: bash, and the environment of a process readable as Linux shows it."""
SECONDS = 5
STARTS = 12
_ENGINE_PATH = re.compile(r"(?<![\w.$}/~-])/(?:[\w.-]+/)*(?:vllm|python3?|llama-server|sglang)(?![\w./-])")
_OWN = {"PATH", "BASH_ENV", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "_"}


@dataclass(frozen=True, slots=True)
class Start:
    """One recorded start: all its words, and the environment without what the oracle or bash itself put there."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One execution: the recorded starts in order, the exit status (negative: killed by that signal), stderr.

    ``written`` are the text files it left in its folder, by relative path.
    """

    starts: tuple[Start, ...]
    status: int
    stderr: str
    written: Mapping[str, str] = field(default_factory=dict)


def interpreter(script: Path) -> str:
    """``sh`` or ``bash``, by the first line; bash where it says nothing."""
    first = script.read_bytes().split(b"\n", 1)[0].strip()
    return "sh" if first.startswith(b"#!") and first.split(b"/")[-1].split()[-1] in (b"sh", b"dash") else "bash"


def run_script(
    script: Path,
    *,
    companions: Path | None = None,
    env: Mapping[str, str] | None = None,
    args: Sequence[str] = (),
    prints: Mapping[str, str] | None = None,
    moved: Sequence[str] = (),
) -> Run:
    """Runs a copy of ``script`` (with the whole folder ``companions``) from the copy's folder.

    ``prints`` gives the output of silent programs by name. ``moved`` are absolute paths to live below the folder;
    one that ends in an engine's name is that engine. In the result the copy's folder reads as ``script.parent``.
    """
    files: dict[str, Path] = {}
    if companions is None:
        files[script.name] = script
    else:
        files = {str(path.relative_to(companions)): path for path in companions.rglob("*") if path.is_file()}
    name = script.name if companions is None else str(script.relative_to(companions))
    with tempfile.TemporaryDirectory(prefix="oracle-") as where:
        folder = Path(where).resolve()
        work = folder / "work"
        for relative, source in files.items():
            target = work / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(0o755)
        words = [interpreter(script), str(work / name), *args]
        run = execute(folder, words, work, env or {}, prints or {}, moved)
        return _renamed(run, str(work), str(companions or script.parent))


def execute(
    folder: Path,
    words: Sequence[str],
    work: Path,
    env: Mapping[str, str],
    prints: Mapping[str, str],
    moved: Sequence[str] = (),
    files: Mapping[str, bytes] | None = None,
) -> Run:
    """Runs ``words`` in ``work`` (below ``folder``) and waits for everything they started, at most ``SECONDS``.

    ``files`` are more files by absolute path; they are moved like ``moved``.
    """
    stage, environment = _stage()
    for old in (*(stage / "records").iterdir(), *(stage / "prints").iterdir()):
        old.unlink()
    files = files or {}
    texts = [*(word.encode() for word in words), *files.values()]
    texts += [path.read_bytes() for path in work.rglob("*") if path.is_file()]
    moved = sorted({*moved, *files, *_engine_paths(texts, str(work))})
    for name, text in prints.items():
        (stage / "prints" / name).write_text(text, encoding="utf-8")
    root = folder / "root"
    for path in moved:
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if path in files:
            target.write_bytes(files[path])
            target.chmod(0o755)
        elif target.name in stubs.RECORDED and not target.exists():
            target.symlink_to(stubs.recorder(stage))
    given = {path for path in work.rglob("*") if path.is_file()}
    for file in [path for top in (work, root) for path in top.rglob("*") if path.is_file() and not path.is_symlink()]:
        text = file.read_bytes()
        for path in moved:
            text = text.replace(path.encode(), str(root).encode() + path.encode())
        file.write_bytes(text)

    def below(word: str) -> str:
        for path in moved:
            word = word.replace(path, f"{root}{path}")
        return word

    environment = environment | {name: below(value) for name, value in env.items() if name != "PATH"}
    command = [below(word) for word in words]
    program = shutil.which(command[0], path=environment["PATH"])
    if program is None:
        return Run((), 127, f"{command[0]}: not found")
    status, stderr = _finish([program, *command[1:]], work, environment)
    starts = [_read(record) for record in sorted((stage / "records").iterdir())]
    written = {
        str(path.relative_to(work)): path.read_text("utf-8", "replace")
        for path in work.rglob("*")
        if path.is_file() and path not in given
    }
    return _renamed(Run(tuple(start for start in starts if start is not None), status, stderr, written), str(root), "")


@cache
def _stage() -> tuple[Path, dict[str, str]]:
    # Runs of one process follow one another, so they share one folder of stubs; it goes when the process ends.
    folder = Path(tempfile.mkdtemp(prefix="oracle-stage-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder, stubs.lay_out(folder, STARTS)


def _engine_paths(texts: Sequence[bytes], work: str) -> set[str]:
    found = {path for text in texts for path in _ENGINE_PATH.findall(text.decode("utf-8", "replace"))}
    return {path for path in found if work not in path}


def _finish(command: Sequence[str], work: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    # Every process inherits the write end of this pipe, background ones too: its end is the end of them all.
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            command,
            cwd=work,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            pass_fds=[writer],
            start_new_session=True,
        )
        os.close(writer)
        try:
            status = process.wait(SECONDS)
            _drain(reader)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
        finally:
            os.close(reader)
        stderr.seek(0)
        return status, stderr.read().decode("utf-8", "replace")


def _drain(reader: int) -> None:
    while select.select([reader], [], [], SECONDS)[0]:
        if not os.read(reader, 4096):
            return


def _read(record: Path) -> Start | None:
    words, _, rest = record.read_bytes().partition(b"\0\1\0")
    variables, finished, _ = rest.rpartition(b"\2\0")
    if not finished:
        return None  # killed while it wrote
    argv = tuple(word.decode("utf-8", "surrogateescape") for word in words.split(b"\0"))
    pairs = [pair.decode("utf-8", "surrogateescape").partition("=") for pair in variables.split(b"\0") if pair]
    return Start(argv, {name: value for name, _, value in pairs if name not in _OWN})


def _renamed(run: Run, old: str, new: str) -> Run:
    starts = tuple(
        Start(
            tuple(word.replace(old, new) for word in start.argv),
            {name: value.replace(old, new) for name, value in start.env.items()},
        )
        for start in run.starts
    )
    return Run(starts, run.status, run.stderr.replace(old, new), run.written)
