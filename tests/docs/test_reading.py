"""The facts of docs/reading.md are the code's own: limits, images, programs."""

from __future__ import annotations

import re

import pytest
from pages import ROOT, prose

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles import yamltree
from pytest_qwen_mtp.profiles.image import read_image
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.shell import branches, interpreter, loops
from pytest_qwen_mtp.profiles.shell.filters import FILTERS
from pytest_qwen_mtp.profiles.wrappers import unwrap

PAGE = prose(ROOT / "docs" / "reading.md").replace("\n", " ")
TABLE = re.findall(
    r"^\| (`[^|]*`[^|]*) \| ((?:build )?[\d.a-z]+|unknown)\b[^|]* \|$", prose(ROOT / "docs" / "reading.md"), re.M
)
PLACE = Place("compose.yaml", 1, 1)


@pytest.mark.parametrize(
    "sentence",
    [
        f"larger than {yamltree.SIZE_LIMIT:,} bytes",
        f"more than {yamltree.UNFOLD_LIMIT:,} nodes",
        f"At most {interpreter.MAX_STEPS:,} in one run and {branches.MAX_STEPS:,} for one start",
        f"at most {loops.MAX_LOOP} rounds",
        f"at most {branches.MAX_RUNS} runs for one start",
        f"at most {branches.MAX_SUGGESTIONS} values",
    ],
)
def test_a_limit_is_the_code_s(sentence: str) -> None:
    assert sentence in PAGE


def images() -> list[tuple[str, str | None]]:
    """Each image that the table names, with the release that it says."""
    found = []
    for cell, release in TABLE:
        names = re.findall(r"`([^`]+)`", cell)
        for name in names:
            whole = name if name[0] not in ":@" else names[0].rpartition(":")[0] + name
            whole = whole.replace("<commit>", "0d" * 20).replace("…", "0d" * 32)
            found.append((whole, None if release == "unknown" else release.removeprefix("build ")))
    return found


def test_the_table_of_images_is_found() -> None:
    assert len(images()) == 9


@pytest.mark.parametrize(("image", "release"), images())
def test_an_image_names_the_release_of_the_table(image: str, release: str | None) -> None:
    assert read_image(Word(image, PLACE)).version == release


@pytest.mark.parametrize("program", ["cat", "grep", "seq", "tr", "head", "tail", "basename", "dirname"])
def test_a_program_that_is_followed_is_known(program: str) -> None:
    assert f"`{program}`" in PAGE
    assert program in FILTERS


@pytest.mark.parametrize("program", ["env", "nohup", "numactl", "sudo", "tini", "srun"])
def test_a_program_that_starts_another_is_taken_off(program: str) -> None:
    assert f"`{program}`" in PAGE
    inner = unwrap([Word(text, PLACE) for text in (program, "--", "vllm", "serve")])
    assert inner is not None
    assert [word.text for word in inner.words] == ["vllm", "serve"]
