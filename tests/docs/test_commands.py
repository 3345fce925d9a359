"""The shell blocks of the pages: what they say is run, or what they name exists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib

import pytest
from pages import PAGES, ROOT, Block, blocks

from pytest_qwen_mtp.cli import main

sys.path.insert(0, str(ROOT / "tools"))

import write_docs

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
PREPARING = ("python3 -m venv", ".venv/bin/pip install")


def steps(block: Block) -> list[str]:
    """The commands of a block, one by one."""
    return [step.strip() for line in block.text.splitlines() for step in line.split("&&") if step.strip()]


def marked(mark: str) -> list[Block]:
    return [block for block in blocks("bash") if any(re.fullmatch(mark, each) for each in block.marks)]


RUN = [
    pytest.param(step, int(block.marks[0].partition("=")[2]), id=f"{block}-{number}")
    for block in marked(r"exit=\d")
    for number, step in enumerate(steps(block))
]


def test_every_shell_block_says_how_it_is_checked() -> None:
    known = re.compile(r"exit=\d|main|tests|setup")
    for block in blocks("bash", "sh", "shell", "console"):
        if block.kind != "console":  # the output of those is compared in test_written
            assert block.kind == "bash", block
            assert len(block.marks) == 1, block
            assert known.fullmatch(block.marks[0]), block


@pytest.mark.parametrize(("command", "code"), RUN)
def test_a_command_ends_as_the_page_says(desk: pytest.Pytester, command: str, code: int) -> None:
    program, *words = shlex.split(command)
    if program == "qwen-mtp":
        assert main(words) == code
    else:
        assert program == "pytest"
        assert desk.runpytest_inprocess(*words).ret == code


def test_the_main_command_checks_the_examples(desk: pytest.Pytester) -> None:
    (block,) = marked("main")
    *prepared, command = steps(block)
    assert [step for step in prepared if not step.startswith(PREPARING)] == []
    (desk.path / ".venv").symlink_to(sys.prefix)
    done = subprocess.run(shlex.split(command), cwd=desk.path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "5 failed" in done.stdout


@pytest.mark.parametrize("block", marked("main|tests|setup"), ids=str)
def test_what_a_command_of_the_checkout_names_is_there(block: Block) -> None:
    assert subprocess.run(["bash", "-n"], input=block.text, text=True, check=False).returncode == 0
    for step in steps(block):
        for word in shlex.split(step):
            extra = re.fullmatch(r"\.\[(\w+)\]", word)
            if extra is not None:
                assert extra[1] in EXTRAS
            elif "/" in word and not word.startswith(".venv/bin/"):
                assert (ROOT / word).exists(), word


def test_the_command_behind_each_ci_mark_installs_and_runs_pytest() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, kind in (("main", "main"), ("test", "tests")):
        behind = re.search(rf"^<!-- ci: {name} command -->\n```bash {kind}\n(.*?)^```$", text, re.M | re.S)
        assert behind is not None, name
        assert re.search(r"pip install .*&& \.venv/bin/pytest", behind[1])


def test_the_options_that_pages_name_exist() -> None:
    known = {name for names, _ in write_docs.recorded().options for name in names}
    named = {
        (option, page.name)
        for page in PAGES
        for option in re.findall(r"--mtp-[\w-]+", page.read_text(encoding="utf-8"))
    }
    assert sorted((option, page) for option, page in named if option not in known) == []


def test_the_page_shows_every_command_and_option_of_the_tool(capsys: pytest.CaptureFixture[str]) -> None:
    def help_of(*words: str) -> str:
        with pytest.raises(SystemExit):
            main([*words, "--help"])
        return capsys.readouterr().out

    page = (ROOT / "docs" / "usage.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    (\w+) ", help_of(), re.M)
    assert "resolve" in commands
    hidden = [command for command in commands if f"\nqwen-mtp {command} " not in page]
    hidden += [
        f"{command} {option}"
        for command in commands
        for option in set(re.findall(r"--[a-z-]+", help_of(command))) - {"--help"}
        if option not in page
    ]
    assert hidden == []
