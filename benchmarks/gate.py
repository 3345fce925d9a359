"""What the gate costs: against empty pytest items and a bare YAML parse, in memory, and when it is not used.

Run ``python benchmarks/gate.py --help``; README.md beside it says how to read the figures.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

LINES = 266
"""Lines of a generated Compose file."""
ITEMS = 5
"""Items of the gate per server."""
NO_PROFILES: tuple[str, ...] = ()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--files", type=int, default=1000, help="Compose files (default: 1000)")
    parser.add_argument("--linear", action="store_true", help="also a quarter and ten times as many files")
    parser.add_argument("--wide", action="store_true", help="also one file of 10 services with 270 lines each")
    parser.add_argument("--unused", type=int, default=0, metavar="N", help="also N pairs of runs without the gate")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each part; the median counts (default: 3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="qwen-mtp-bench-") as folder:
        sizes = [options.files // 4, options.files, options.files * 10] if options.linear else [options.files]
        good = True
        for size in sizes:
            good &= _measure(Path(folder) / str(size), size, options.repeat)
        if options.wide:
            _wide(Path(folder) / "wide")
        if options.unused:
            good &= _unused(Path(folder) / "unused", options.unused)
    return 0 if good else 1


def _measure(folder: Path, files: int, repeat: int) -> bool:
    """(a) pytest on empty items, (b) bare ``yaml.compose``, (c) the gate: interleaved, so that noise hits all three."""
    profiles, tests = folder / "profiles", folder / "tests"
    profiles.mkdir(parents=True)
    tests.mkdir()
    for number in range(files):
        (profiles / f"compose-{number:05}.yaml").write_text(compose_file(number), encoding="utf-8")
    empty = f"import pytest\n@pytest.mark.parametrize('n', range({files * ITEMS}))\ndef test_empty(n): pass\n"
    (tests / "test_empty.py").write_text(empty, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    times: dict[str, list[float]] = {"a": [], "b": [], "c": []}
    memory = 0.0
    for _ in range(repeat):
        times["a"].append(_pytest(folder, ["-p", "no:qwen_mtp", "tests"])[0])
        times["b"].append(_compose_all(profiles))
        seconds, peak = _pytest(folder, ["--mtp-profiles", "profiles"])
        times["c"].append(seconds)
        memory = max(memory, peak)
    a, b, c = (statistics.median(times[part]) for part in "abc")
    ratio = c / (a + b)
    print(f"{files} files of {LINES} lines, {files * ITEMS} items, CPU seconds, median of {repeat}:")
    for part, name in (("a", f"pytest, {files * ITEMS} empty items"), ("b", "bare yaml.compose"), ("c", "the gate")):
        spread = f"{min(times[part]):.2f} to {max(times[part]):.2f}"
        print(f"  {part}  {name:<32} {statistics.median(times[part]):7.2f} s  ({spread})")
    print(f"  c / (a + b) = {ratio:.2f} (target: at most 2.5)")
    print(f"  {1000 * c / files:.2f} ms a file; peak memory {memory:.0f} MB (target at 1,000 files: below 200)")
    return ratio <= 2.5 and (files > 1000 or memory < 200)


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "SYSTEMROOT") if name in os.environ}


def _pytest(folder: Path, arguments: Sequence[str]) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of one run of pytest in its own process."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, env=_environment(), stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, 1, 5):
            output.seek(0)
            sys.exit(f"{' '.join(command)} ended with {code}:\n{output.read().decode(errors='replace')[-4000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _compose_all(profiles: Path) -> float:
    code = (
        "import sys, time, yaml, pathlib\n"
        "paths = sorted(pathlib.Path(sys.argv[1]).iterdir())\n"
        "start = time.process_time()\n"
        "for path in paths:\n"
        "    yaml.compose(path.read_text(encoding='utf-8'), Loader=yaml.CSafeLoader)\n"
        "print(time.process_time() - start)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(profiles)], check=True, capture_output=True, text=True, env=_environment()
    )
    return float(done.stdout)


def _wide(folder: Path) -> None:
    (folder / "profiles").mkdir(parents=True)
    services = [compose_file(number, lines=270, service=f"qwen-{number}") for number in range(10)]
    text = "services:\n" + "".join(each.partition("services:\n")[2] for each in services)
    (folder / "profiles" / "compose.yaml").write_text(text, encoding="utf-8")
    seconds, peak = _pytest(folder, ["--mtp-profiles", "profiles"])
    (folder / "test_none.py").write_text("def test_none(): pass\n", encoding="utf-8")
    base, _ = _pytest(folder, ["-p", "no:qwen_mtp", "test_none.py"])
    print(
        f"one file, 10 services, {len(text.splitlines())} lines: {seconds:.2f} s, {peak:.0f} MB; "
        f"pytest on one empty test {base:.2f} s"
    )


def _unused(folder: Path, pairs: int) -> bool:
    """``pytest --version`` and an empty session, with the plugin installed and with ``-p no:qwen_mtp``."""
    folder.mkdir(parents=True)
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    good = True
    for name, arguments in (("pytest --version", ["--version"]), ("an empty session", NO_PROFILES)):
        with_it, without = [], []
        for number in range(pairs + 1):
            first = _pytest(folder, list(arguments))[0]
            second = _pytest(folder, ["-p", "no:qwen_mtp", *arguments])[0]
            if number:  # the first pair warms the caches
                with_it.append(first)
                without.append(second)
        ratio = statistics.median(with_it) / statistics.median(without)
        good &= ratio <= 1.05
        print(
            f"{name}: installed {1000 * statistics.median(with_it):.1f} ms, without "
            f"{1000 * statistics.median(without):.1f} ms, n = {pairs}, ratio {ratio:.3f} (target: at most 1.05)"
        )
    return good


def compose_file(number: int, lines: int = LINES, service: str = "qwen") -> str:
    """A Compose file as people keep them: comments, an anchor, 40 words, and for one in three a wrapper script."""
    port, k = 8000 + number % 500, 1 + number % 3
    release = ("v0.26.0", "v0.27.1", "v0.28.0", "v0.31.0", "v0.32.0")[number % 5]
    anchor = f"env-{service}"
    head = [
        f"# Qwen for team {number}: kept in the repository, rolled out by the deploy job.",
        "services:",
        f"  {service}:",
        f"    image: vllm/vllm-openai:{release}",
        f"    container_name: {service}-{number}",
        "    ipc: host",
        "    restart: unless-stopped",
        f"    ports: ['{port}:{port}']",
        f"    environment: &{anchor}",
        "      CUDA_VISIBLE_DEVICES: '0,1'",
        "      HF_HOME: /srv/hub",
        "      HF_TOKEN:",
        "      VLLM_LOGGING_LEVEL: INFO",
        "      NCCL_P2P_DISABLE: '1'",
        "    volumes:",
        "      - ./cache:/root/.cache",
        "      - type: bind",
        "        source: ./hub",
        "        target: /srv/hub",
        "    deploy:",
        "      resources:",
        "        reservations:",
        "          devices: [{driver: nvidia, count: 2, capabilities: [gpu]}]",
    ]
    words = [
        "--served-model-name", f"team-{number}", "--host", "0.0.0.0", "--port", str(port),
        "--tensor-parallel-size", "2", "--max-model-len", "${WINDOW:-98304}", "--max-num-seqs", str(4 + number % 60),
        "--gpu-memory-utilization", "0.91", "--kv-cache-dtype", "fp8", "--enable-prefix-caching",
        "--reasoning-parser", "qwen3", "--enable-auto-tool-choice", "--tool-call-parser", "qwen3_coder",
        "--max-num-batched-tokens", "8192", "--trust-remote-code", "--limit-mm-per-prompt", "'{\"image\":0}'",
        "--override-generation-config", "'{\"temperature\":0.7,\"top_p\":0.9}'", "--dtype", "bfloat16", "--seed", "7",
        "--distributed-executor-backend", "mp",
        "--speculative-config", f'\'{{"method":"mtp","num_speculative_tokens":{k}}}\'',
    ]  # fmt: skip
    if number % 3 == 0:
        script = [
            "    entrypoint: [bash, -c]",
            "    command:",
            "      - |",
            "        set -euo pipefail",
            "        MODEL=$${MODEL:-Qwen/Qwen3.6-27B-FP8}",
            "        extra=()",
            '        if [ -n "$${NO_GRAPHS:-}" ]; then',
            "          extra+=(--enforce-eager)",
            "        fi",
            '        for path in /srv/hub; do mkdir -p "$$path"; done',
            '        exec vllm serve "$$MODEL" "$${extra[@]}" \\',
            *(f"          {words[at]} {words[at + 1]} \\" for at in range(0, 16, 2)),
            "          " + " ".join(words[16:]),
        ]
    else:
        words = ["--model", "Qwen/Qwen3.6-27B-FP8", *words]
        script = ["    command:", *(f"      - {quoted(word)}" for word in words)]
    tail = [
        "    healthcheck:",
        f"      test: [CMD, curl, -f, 'http://localhost:{port}/health']",
        "      interval: 30s",
        "    labels:",
        *(f"      team.example/label-{at}: value-{at}" for at in range(12)),
    ]
    body = [*head, *script, *tail]
    notes = [f"    # note {at}: measured in week {at % 52}, see the run book before changing" for at in range(lines)]
    return "\n".join([*body[:-12], *notes[: max(lines - len(body), 0)], *body[-12:]]) + "\n"


def quoted(word: str) -> str:
    """The word as an item of a YAML list that stays text."""
    return f"'{word}'" if word[0].isdigit() else word


if __name__ == "__main__":
    sys.exit(main())
