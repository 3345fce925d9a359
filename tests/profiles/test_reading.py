"""The comparison itself: a reading fits what it says and nothing else."""

from __future__ import annotations

import pytest
from reading import Reading

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.files import NO_FILES
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given, Reference

HERE = Place("start.sh", 1, 1)


def reading(*texts: str, open_ended: tuple[str, ...] = ()) -> Reading:
    words = tuple(
        Word(text, HERE, (Reference("A", HERE, Given.UNKNOWN if text in open_ended else Given.FILE),)) for text in texts
    )
    return Reading(words, {}, None, NO_FILES)


def test_known_words_fit_themselves_alone() -> None:
    read = reading("vllm", "serve", "a.b")
    assert read.fits(["vllm", "serve", "a.b"])
    assert not read.fits(["vllm", "serve", "axb"])
    assert not read.fits(["vllm", "serve"])
    assert not read.fits(["vllm", "serve", "a.b", ""])
    assert read.wildcards == 0


@pytest.mark.parametrize("written", ["${A}", "$A", "$(echo $(a))", "`a`", "~", "${A:-{x}}"])
def test_a_reference_alone_fits_any_number_of_words(written: str) -> None:
    read = reading("vllm", written, "--end", open_ended=(written,))
    assert read.fits(["vllm", "--end"])
    assert read.fits(["vllm", "x", "y", "--end"])
    assert not read.fits(["vllm", "x", "--other"])
    assert read.wildcards == 1


def test_a_reference_in_a_word_stays_in_that_word() -> None:
    read = reading("--port=${A}0", open_ended=("--port=${A}0",))
    assert read.fits(["--port=800"])
    assert not read.fits(["--port=801"])
    assert not read.fits(["--port=8", "0"])


def test_a_dollar_that_is_known_is_only_a_dollar() -> None:
    assert not reading("$A").fits(["x"])
