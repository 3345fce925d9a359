"""Whatever the words are: an answer, never an exception."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_qwen_mtp.engines.catalogue import load
from pytest_qwen_mtp.engines.settings import read_settings, speculation
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.model import Engine, Word
from pytest_qwen_mtp.profiles.text import Given, Reference, SourceText

PLACE = Place("x", 1, 1)
STRINGS = sorted(
    {string for engine in ("vllm", "sglang") for string in load(engine).any_release} | {"-sc", "-cc", "-m"}
)
PIECES = st.sampled_from(
    [
        "",
        "{",
        "}",
        '"',
        "'",
        ":",
        ".",
        "+",
        "=",
        "-",
        "--",
        "mtp",
        '"method"',
        "9" * 5000,
        "1e999",
        "nan",
        "\n",
        " ",
        "k",
        "/c.yaml",
    ]
)
ODD = st.lists(PIECES, max_size=5).map("".join)
TEXTS = st.one_of(
    st.sampled_from(STRINGS),
    ODD,
    st.tuples(st.sampled_from(STRINGS), st.sampled_from(["=", ".", ".a.b=", ".a+", "+="]), ODD).map("".join),
    st.text(max_size=8),
)
REFERENCES = st.sampled_from([(), *(((Reference("V", PLACE, each),)) for each in Given)])
WORDS = st.lists(st.builds(Word, TEXTS, st.just(PLACE), REFERENCES), max_size=8)
VERSIONS = st.sampled_from([None, "0.26.0", "0.32.0", "0.28.0", "0.5.13", "0.5.23", "11434", "x", "0.0.0"])
ENGINES: st.SearchStrategy[Engine] = st.sampled_from(["vllm", "sglang", "llamacpp"])
FILES = FileView().with_written(
    "/c.yaml", SourceText.of_file("a: [1, {b: c}]\n? [x]\n: 2\n2024-01-01: 2024-01-01\n", "c")
)


@settings(max_examples=300, deadline=None)
@given(ENGINES, VERSIONS, WORDS)
def test_every_command_gets_an_answer(engine: Engine, version: str | None, words: list[Word]) -> None:
    found = read_settings(engine, version, words, {"VLLM_USE_V2_MODEL_RUNNER": None}, FILES)
    asked = speculation(found)
    assert asked is None or set(asked) == {"method", "k"}
    assert all(name == setting.name for name, setting in found.known.items())
