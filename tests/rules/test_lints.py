"""Commands that end before they were meant to, and defaults that do: told at the culprit, and only where it is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from started import told

from pytest_qwen_mtp.findings import Certainty, Severity
from pytest_qwen_mtp.profiles.shell.lints import lint

BREAK, COMMENT, BRACE = "broken-line-continuation", "commented-flag-ends-command", "broken-default-brace"


def lints(text: str) -> list[tuple[str, str]]:
    """The kinds, each with the rest of the line that its culprit begins."""
    return [(each.kind, text[each.offset :].split("\n")[0]) for each in lint(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("vllm serve m \\ \n  --port 1\n", [(BREAK, "\\ ")]),
        ("vllm serve m \\\t\n  --port 1\n", [(BREAK, "\\\t")]),
        ("vllm serve m \\\r\n  --port 1\r\n", [(BREAK, "\\\r")]),
        ("vllm serve m\n  --port 1 \\\n  --host h\n", [(BREAK, "--port 1 \\")]),
        ("vllm serve m \\\n\n  --port 1\n", [(BREAK, "--port 1")]),
        ('vllm serve m --speculative-config \\\n\n  \'{"method":"mtp"}\'\n', [(BREAK, '\'{"method":"mtp"}\'')]),
        ("vllm serve m | tee log\n  --port 1\n", [(BREAK, "--port 1")]),
        ("if true; then\n  exec vllm serve m\n    -tp 2\nfi\n", [(BREAK, "-tp 2")]),
        ("run() {\n  vllm serve m\n    -tp 2\n}\nrun\n", [(BREAK, "-tp 2")]),
        ("vllm serve m \\\n  # --x \\\n  --port 1\n", [(COMMENT, "# --x \\")]),
        ("vllm serve m \\\n  # a reason\n  --port 1\n", [(COMMENT, "# a reason")]),
        ('vllm serve m \\\n  # --x \\\n  "$@"\n', [(COMMENT, "# --x \\")]),
        ('A="${B:-{\\"k\\":1}}"\n', [(BRACE, '${B:-{\\"k\\":1}}"')]),
        ("A=${B-{x}}\n", [(BRACE, "${B-{x}}")]),
        ('A="${B:={\\"k\\":{\\"l\\":1}}}"\n', [(BRACE, '${B:={\\"k\\":{\\"l\\":1}}}"')]),
    ],
)
def test_a_mistake_is_found_at_its_culprit(text: str, found: list[tuple[str, str]]) -> None:
    assert lints(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "vllm serve m \\\n  --port 1 \\\n  --host h\n",
        "vllm serve m \\\n  --port 1\n  # the end\necho --port\n",
        "vllm serve m \\\n  --port 1 \\\n  # the last one\n\necho done\n",
        "words=(serve m\n  --port 1 # why\n  # --host h\n  --tp 2)\n",
        "cat <<EOF\nvllm serve m\n  --port 1\nEOF\n",
        "vllm serve m --name 'a \\ \n --b'\n",
        "vllm serve m &\nwait\n",
        "# vllm serve m \\\n# --port 1\nvllm serve m\n",
        "A=${B:-'{\"k\":1}'}\n",
        'A="${B:-{\\"k\\":1\\}}"\n',
        'A="${B:-x}}"\n',
        "A=${B:-${C:-x}}\n",
        "vllm serve m; --port 1\n",
    ],
)
def test_what_reads_as_it_was_meant_is_silent(text: str) -> None:
    assert lints(text) == []


SCRIPT = """\
#!/bin/bash
docker run --rm vllm/vllm-openai:v0.32.0 \\
  Qwen/Qwen3.6-27B \\
  --max-model-len 65536{end}
  --speculative-config '{{"method":"mtp","num_speculative_tokens":2}}'
"""


@pytest.mark.parametrize(
    ("end", "line", "column"), [(" \\ ", 4, 25), ("", 5, 3), (" \\\n\n  --host h \\", 6, 3), (" \\\n  # --x \\", 5, 3)]
)
def test_a_container_that_is_cut_short(tmp_path: Path, end: str, line: int, column: int) -> None:
    (finding,) = told(tmp_path, SCRIPT.format(end=end), "start.sh")
    assert finding.rule == (COMMENT if "#" in end else BREAK)
    assert (finding.place.line, finding.place.column) == (line, column)
    assert (finding.severity, finding.certainty) == (Severity.HIGH, Certainty.DEFINITE)


def test_a_start_that_is_lost_altogether_is_a_problem_of_the_file(tmp_path: Path) -> None:
    text = "#!/bin/bash\ndocker run --rm \\ \n  --gpus all \\\n  vllm/vllm-openai:v0.32.0 Qwen/Qwen3.6-27B\n"
    (finding,) = told(tmp_path, text, "start.sh")
    assert (finding.rule, finding.place.line, finding.check) == (BREAK, 2, "profile")


def test_a_command_that_starts_no_engine_is_none_of_our_business(tmp_path: Path) -> None:
    text = "#!/bin/bash\ncurl http://host \\ \n  --silent\nvllm serve Qwen/Qwen3.6-27B --port 1\n"
    assert told(tmp_path, text, "start.sh") == []


def test_a_default_that_fills_in_no_word_of_the_engine_is_silent(tmp_path: Path) -> None:
    text = '#!/bin/bash\necho "${A:-{x}}"\nvllm serve Qwen/Qwen3.6-27B --port 1\n'
    assert told(tmp_path, text, "start.sh") == []


def test_a_break_on_one_branch_is_possible(tmp_path: Path) -> None:
    text = '#!/bin/bash\nif [ "$1" = big ]; then\n  vllm serve m\n    --port 1\nelse\n  vllm serve m --port 1\nfi\n'
    (finding,) = [each for each in told(tmp_path, text, "start.sh") if each.rule == BREAK]
    assert finding.certainty is Certainty.POSSIBLE
    assert finding.when is not None


def test_lines_of_a_folded_string_that_keep_their_break(tmp_path: Path) -> None:
    text = """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: []
    command: >
      bash -c "exec vllm serve Qwen/Qwen3.6-27B
        --max-model-len 65536
        --port 8000"
"""
    (finding,) = told(tmp_path, text)
    assert (finding.rule, finding.place.line, finding.place.column) == (BREAK, 7, 9)
