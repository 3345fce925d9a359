"""Values as the engines' own converters read them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_qwen_mtp.engines.options import BadValue, Option, convert


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("human_int", "1k", 1000),
        ("human_int", "1K", 1024),
        ("human_int", "25.6k", 25600),
        ("human_int_or_auto", "AUTO", -1),
        ("si_int", "1Ki", 1024),
        ("si_int", "1.5k", 1500),
        ("optional_int", "None", None),
        ("optional_int", "7", 7),
        ("object", '{"size": 80m, "name": "80m"}', {"size": 80_000_000, "name": "80m"}),
        ("object_or_str", "cpu", "cpu"),
        ("object_or_str", '{"a": 1}', {"a": 1}),
        ("comma_list", "0, GPU-1", [0, "GPU-1"]),
        ("lora_module", "name=path", "name=path"),
        ("snake", "FlashInfer-X", "flashinfer_x"),
    ],
)
def test_a_value(type_: str, text: str, value: Any) -> None:
    assert convert(Option("x", ("--x",), type=type_), [text]) == value


@pytest.mark.parametrize(
    ("type_", "text", "told"),
    [
        ("int", "1.5", "whole number"),
        ("human_int", "1.5K", "whole number"),
        ("human_int", "1Ki", "whole number"),
        ("si_int", "1K", "whole number"),
        ("float", "x", "a number"),
        ("json", "{'a': 1}", "JSON wants double quotes"),
        ("json", "{a:1}", "the double quotes are gone"),
        ("json", "[" * 100_000, "nested too deep"),
        ("object", "[1]", "a JSON object"),
        ("lora_module", "x", "not JSON"),
    ],
)
def test_a_bad_value_says_what_is_expected(type_: str, text: str, told: str) -> None:
    with pytest.raises(BadValue, match=told):
        convert(Option("x", ("--x",), type=type_), [text])


def test_choices_are_checked_after_conversion() -> None:
    option = Option("x", ("--x",), type="optional_str", choices=("a", None))
    assert convert(option, ["None"]) is None
    with pytest.raises(BadValue, match="expected one of a, None"):
        convert(option, ["b"])


def test_arity() -> None:
    assert convert(Option("x", ("--x",), nargs="+", type="int"), ["1", "2"]) == [1, 2]
    assert convert(Option("x", ("--x",), nargs="?", const=True), []) is True
