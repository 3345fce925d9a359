"""Which words change so that a setting has another value: the settings of the new words are asked for it."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_qwen_mtp.engines.settings import read_settings
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Engine, Word
from pytest_qwen_mtp.rewording import edit_json, reword


def reworded(engine: Engine, version: str, command: str, **settings: Any) -> list[str] | None:
    words = [Word(text, Place("serve.sh", 1, 1)) for text in shlex.split(command)]
    plain = {name.replace("__", "."): value for name, value in settings.items()}
    found = reword(engine, version, words, plain)
    if found is None:
        return None
    texts = [word.text for word in words]
    for each in sorted(found, key=lambda each: len(texts) if each.stop is None else each.start, reverse=True):
        start = len(texts) if each.stop is None else each.start
        texts[start : start if each.stop is None else each.stop] = each.words
    read = read_settings(engine, version, [Word(text, Place("serve.sh", 1, 1)) for text in texts])
    for name, value in plain.items():
        assert value is None or read.value(name) == value
    return texts


VLLM = "vllm serve q "
MTP = '{"method":"mtp","num_speculative_tokens":3}'


@pytest.mark.parametrize(
    ("before", "settings", "after"),
    [
        ("--enable-prefix-caching", {"enable_prefix_caching": False}, "--no-enable-prefix-caching"),
        ("", {"enable_prefix_caching": False}, "--no-enable-prefix-caching"),
        ("--no-enable-prefix-caching", {"enable_prefix_caching": True}, "--enable-prefix-caching"),
        ("--enforce_eager --enforce-eager", {"enforce_eager": False}, "--no-enforce-eager"),
        ("--max-num-seqs=64", {"max_num_seqs": 8}, "--max-num-seqs=8"),
        ("--max_num_seqs 64", {"max_num_seqs": 8}, "--max_num_seqs 8"),
        ("", {"max_num_seqs": 8}, "--max-num-seqs 8"),
        ("--max-num-seqs 64 --port 1", {"max_num_seqs": None}, "--port 1"),
        ("--port 1", {"max_num_seqs": None}, "--port 1"),
        (f"-sc '{MTP}'", {"speculative__num_speculative_tokens": 1}, f"-sc '{MTP.replace('3', '1')}'"),
        (f"-sc='{MTP}'", {"speculative__method": "ngram"}, f"-sc='{MTP.replace('mtp', 'ngram')}'"),
        (f"--port 1 -sc '{MTP}'", {"speculative__method": None}, "--port 1"),
        ("-sc.method mtp -sc.num_speculative_tokens 3", {"speculative__method": None}, ""),
        (
            "-sc.method mtp -sc.num_speculative_tokens=3",
            {"speculative__num_speculative_tokens": 1},
            "-sc.method mtp -sc.num_speculative_tokens=1",
        ),
        ("", {"compilation__cudagraph_mode": "PIECEWISE"}, "--compilation-config.cudagraph_mode PIECEWISE"),
        ("--port 1", {"kv_transfer__kv_connector": None}, "--port 1"),
        ('--kv-transfer-config \'{"kv_connector": "X"}\'', {"kv_transfer__kv_connector": None}, ""),
    ],
)
def test_words_of_vllm(before: str, settings: dict[str, Any], after: str) -> None:
    assert reworded("vllm", "0.30.0", VLLM + before, **settings) == shlex.split(VLLM + after)


SGLANG = "python3 -m sglang.launch_server --model-path q "


@pytest.mark.parametrize(
    ("before", "settings", "after"),
    [
        ("", {"disable_radix_cache": True}, "--disable-radix-cache"),
        ("--disable-radix-cache", {"disable_radix_cache": False}, ""),
        ("--page-size 64", {"page_size": 1}, "--page-size 1"),
        ("--speculative-algorithm EAGLE --speculative-num-steps 3 --tp 2", {"speculative__method": None}, "--tp 2"),
    ],
)
def test_words_of_sglang(before: str, settings: dict[str, Any], after: str) -> None:
    assert reworded("sglang", "0.5.20", SGLANG + before, **settings) == shlex.split(SGLANG + after)


@pytest.mark.parametrize(
    ("before", "settings", "after"),
    [
        ("--draft-max 5", {"speculative__num_speculative_tokens": 2}, "--draft-max 2"),
        ("--spec-type draft-mtp --draft-max 5 -c 9", {"speculative__method": None}, "-c 9"),
        ("", {"fit": "off"}, "--fit off"),
        ("--split-mode row", {"split_mode": "layer"}, "--split-mode layer"),
    ],
)
def test_words_of_llama_cpp(before: str, settings: dict[str, Any], after: str) -> None:
    assert reworded("llamacpp", "b9400", "llama-server -m q " + before, **settings) == shlex.split(
        "llama-server -m q " + after
    )


@pytest.mark.parametrize(
    "settings",
    [{"env__A": "1"}, {"no_such_setting": 3}, {"model_loader_extra_config": {"a": True}}, {"speculative__x": [1]}],
)
def test_what_no_words_say(settings: dict[str, Any]) -> None:
    assert reworded("vllm", "0.30.0", VLLM, **settings) is None


@pytest.mark.parametrize("text", ["", "x", "[1]", '{"a":1', '{"a" 1}', "{'a':1}", '{"a":1}}x,'])
def test_what_is_no_json_object_is_not_edited(text: str) -> None:
    assert edit_json(text, "a", 2) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(
    st.dictionaries(st.sampled_from("abcde"), VALUES, max_size=4),
    st.sampled_from("abcde"),
    st.none() | st.integers() | st.text(max_size=4),
    st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]),
)
def test_one_key_of_a_json_object(data: dict[str, Any], key: str, value: Any, separators: tuple[str, str]) -> None:
    text = json.dumps(data, separators=separators)
    found = edit_json(text, key, value)
    assert found is not None
    wanted = {name: each for name, each in data.items() if name != key}
    assert json.loads(found) == (wanted if value is None else {**data, key: value})
    if key in data and value is not None:
        assert len(found) - len(text) == len(json.dumps(value)) - len(json.dumps(data[key], separators=separators))
