"""Static checks open no socket and execute nothing they read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DEPLOYMENTS = HERE.parent / "profiles" / "deployments"
EXAMPLES = HERE.parent.parent / "examples"

WATCHED = """\
import os, sys

FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.system", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn",
             "ctypes.dlopen", "webbrowser.", "urllib.", "http.client.", "smtplib.", "ftplib.")
seen = []

def watch(event, arguments):
    if event.startswith(FORBIDDEN):
        seen.append((event, repr(arguments)[:200]))

import pytest
import pytest_qwen_mtp.gate
sys.addaudithook(watch)
code = pytest.main(["-q", "-p", "no:xdist", "-p", "no:cacheprovider", "--mtp-env", *sys.argv[1:]])
reached = len(seen)
import socket
socket.socket().close()
assert len(seen) > reached, "the watch is blind"
print("WATCHED", int(code), seen[:reached])
"""

TRAP = """\
#!/bin/bash
touch {trap}
x=$(touch {trap})
`touch {trap}`
eval "touch {trap}"
source <(touch {trap}; echo)
: "${{y:=$(touch {trap})}}"
trap 'touch {trap}' EXIT
exec vllm serve Qwen/Qwen3.6-27B --port "$(touch {trap}; echo 8000)" --max-num-seqs $((1 + $(touch {trap}; echo 1)))
"""
TRAP_COMPOSE = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: [bash, -c]
    command: ["touch {trap}; vllm serve Qwen/Qwen3.6-27B --port $$(touch {trap}; echo 8000)"]
  object:
    image: vllm/vllm-openai:v0.32.0
    command: !!python/object/apply:os.system ["touch {trap}"]
  url:
    image: vllm/vllm-openai:v0.32.0
    command: [--model, "https://example.invalid/model"]
    env_file: https://example.invalid/.env
    build: https://example.invalid/repository.git
include:
  - https://example.invalid/compose.yaml
  - oci://example.invalid/compose
"""


@pytest.fixture
def deployments(tmp_path: Path) -> Path:
    """Every deployment file of the tests and examples, and files that would leave ``sprung`` behind if executed."""
    folder = tmp_path / "profiles"
    folder.mkdir()
    for source in (DEPLOYMENTS, EXAMPLES):
        if source.is_dir():
            shutil.copytree(source, folder / source.name)
    trap = tmp_path / "sprung"
    for name, text in (("trap.sh", TRAP), ("trap.yaml", TRAP_COMPOSE)):
        (folder / name).write_text(text.format(trap=trap), encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def test_no_socket_no_process_and_no_trap_sprung(tmp_path: Path, deployments: Path) -> None:
    watched = tmp_path / "watched.py"
    watched.write_text(WATCHED, encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    arguments = [sys.executable, str(watched), "--mtp-profiles", str(deployments)]
    done = subprocess.run(arguments, cwd=tmp_path, env=kept, capture_output=True, text=True, timeout=120)
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    assert last == "WATCHED 1 []", done.stdout[-3000:] + done.stderr[-3000:]
    assert not (tmp_path / "sprung").exists()
    assert "Traceback" not in done.stdout + done.stderr


def test_the_traps_would_spring(tmp_path: Path, deployments: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash on this machine")
    subprocess.run([bash, "-c", f"touch {tmp_path / 'sprung'}"], check=True)
    assert (tmp_path / "sprung").exists()
    (tmp_path / "sprung").unlink()
    subprocess.run([bash, str(deployments / "trap.sh")], cwd=tmp_path, capture_output=True, timeout=30)
    assert (tmp_path / "sprung").exists()
