"""The judge itself: its sandbox sees every start, and every script of the corpus does what its header says."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch_corpus import Script, Setting, corpus, read_script
from server_starts import servers
from shell_oracle import AVAILABLE, Start, run_script

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="the judge of these tests is a real bash on Linux")

SCRIPTS = corpus()
BREAKS_OFF = {
    "blank_after_backslash.sh": 127,  # the rest of the command is a command of its own
    "comment_cuts_command.sh": 127,
    "missing_backslash.sh": 127,
    "windows_line_ends.sh": 127,
    "last_pipeline_parts.sh": 1,  # a negated success
    "subcommand_functions.sh": 64,  # its own usage message
    "restart_forever.sh": -9,  # stopped by the recorder
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_each_script_does_what_its_header_says(script: Script) -> None:
    run = script.run(script.base)
    assert run.status == BREAKS_OFF.get(script.name, 0), run.stderr
    assert bool(servers(run)) is not script.starts_nothing


def test_the_corpus_is_large_enough_to_judge() -> None:
    assert len(SCRIPTS) >= 90
    assert sum(len(script.branches) for script in SCRIPTS) >= 30


def script(folder: Path, text: str) -> Path:
    path = folder / "launch.sh"
    path.write_text(text, encoding="utf-8")
    return path


def started(folder: Path, text: str) -> list[Start]:
    return servers(run_script(script(folder, text)))


def test_words_arrive_byte_for_byte(tmp_path: Path) -> None:
    (start,) = started(tmp_path, "vllm serve 'a  b' '' $'x\\ny' \"{\\\"k\\\": 1}\" é")
    assert start.argv == ("vllm", "serve", "a  b", "", "x\ny", '{"k": 1}', "é")


def test_only_exported_variables_reach_the_engine(tmp_path: Path) -> None:
    (start,) = started(tmp_path, "A=1; export B=2; C=3 vllm serve m")
    assert start.env == {"B": "2", "C": "3"}


def test_the_environment_of_the_caller_does_not_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "DEBUG")
    (start,) = started(tmp_path, 'vllm serve "m$VLLM_LOGGING_LEVEL"')
    assert start == Start(("vllm", "serve", "m"), {})


def test_background_starts_are_waited_for(tmp_path: Path) -> None:
    text = "for p in 1 2 3; do (read -t 0.05 < <(read -t 1); setsid nohup vllm serve m --port $p >log$p 2>&1) & done"
    assert sorted(start.argv[-1] for start in started(tmp_path, text)) == ["1", "2", "3"]


def test_wrappers_hand_the_words_on(tmp_path: Path) -> None:
    (start,) = started(tmp_path, "sudo -u x -E A=1 nice -n 3 numactl -N 0 -m 0 taskset -c 0-3 timeout 9 vllm serve m")
    assert start == Start(("vllm", "serve", "m"), {"A": "1"})


def test_nothing_outside_the_folder_is_touched(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept", encoding="utf-8")
    started(tmp_path, f"rm -rf {victim}; kill -9 $PPID; pkill -f pytest; vllm serve m")
    assert victim.read_text(encoding="utf-8") == "kept"


def test_an_engine_called_by_its_path_is_recorded_under_that_path(tmp_path: Path) -> None:
    (start,) = started(tmp_path, "/opt/venv/bin/python -m sglang.launch_server --model-path m")
    assert start.argv[0] == "/opt/venv/bin/python"


def test_other_programs_are_no_servers(tmp_path: Path) -> None:
    assert started(tmp_path, "vllm bench serve; python -m pip; docker ps; docker run -d redis; python x.py") == []


@pytest.mark.parametrize(
    ("words", "argv"),
    [
        ("run --gpus all vllm/vllm-openai:v0.30.0 --model m", "vllm serve --model m"),
        ("run -it --rm -p8:8 -e A=1 ghcr.io/ggml-org/llama.cpp:server-cuda -m x.gguf", "/app/llama-server -m x.gguf"),
        ("run --entrypoint vllm img serve m", "vllm serve m"),
        ("run --entrypoint= img vllm serve m", "vllm serve m"),
        ("run img bash -c 'exec vllm serve m'", "vllm serve m"),
        ("container run --name=x img sglang serve --model-path m", "sglang serve --model-path m"),
    ],
)
def test_containers_start_what_their_image_says(tmp_path: Path, words: str, argv: str) -> None:
    (start,) = started(tmp_path, f"docker {words}")
    assert " ".join(start.argv) == argv


def test_header_lines_are_understood(tmp_path: Path) -> None:
    path = script(
        tmp_path, "#!/bin/sh\n# wildcards: 1-2\n# run: A=1 @hostname=x -- b 'c d'\n# order: any\nvllm serve m\n"
    )
    read = read_script(path)
    assert read.wildcards == (1, 2)
    assert read.branches == (Setting({"A": "1"}, {"hostname": "x\n"}, ("b", "c d")),)
    assert not read.ordered
