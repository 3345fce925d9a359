"""The condition language: every form of a line, Kleene's tables, and the reasons it gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_qwen_mtp.engines.family import identify_model
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin, Setting, Settings
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.registry.facts import Facts, Subject
from pytest_qwen_mtp.registry.language import ConditionError, read_condition

HERE = Place("compose.yaml", 7, 3)


def facts_of(values: Mapping[str, Any], version: str | None = "0.27.1", given: bool = True, words: str = "") -> Facts:
    origin = Origin.GIVEN if given else Origin.DEFAULT
    known = {name: Setting(name, value, origin, f"--{name}", HERE) for name, value in values.items()}
    model = identify_model("Qwen/Qwen3.6-27B-FP8")
    listed = [Word(text, HERE) for text in words.split()]
    return Facts(Subject("vllm", version, Settings("vllm", version, known), model, HERE, words=listed))


def truth(condition: Any, values: Mapping[str, Any], **more: Any) -> bool | None:
    return read_condition(condition).truth(facts_of(values, **more))


@pytest.mark.parametrize(
    ("wanted", "value", "holds"),
    [
        (True, True, True),
        (True, False, False),
        (True, 1, False),
        (1, True, False),
        (1, "1", True),
        (1, 1.0, True),
        ("FLASHINFER", "flashinfer", True),
        (None, None, True),
        (None, 0, False),
        (["auto", None], None, True),
        (["auto", "triton"], "marlin", False),
        (">= 2", 2, True),
        (">=2", 1, False),
        ("< 5", "4", True),
        ("> 1", "auto", None),
        ("> 1", None, False),
        ("!= bfloat16", None, True),
        ("!= bfloat16", "bfloat16", False),
        ("== 3", 3, True),
        ("!= 3", "3", False),
        ({"like": "turboquant_*"}, "TurboQuant_k8v4", True),
        ({"like": ["a*", "b*"]}, "cab", False),
        ({"given": True}, UNKNOWN, True),
        ({"given": False}, 3, False),
        (True, UNKNOWN, None),
        ({"known": "ascend"}, "ascend", True),
        ({"known": ["rocm", "ascend"]}, "cuda", False),
        ({"known": "ascend"}, UNKNOWN, False),
        ("> 1", UNKNOWN, None),
        ("> 1", 10**400, None),
        ("> 1", [1], None),
        (True, {"a": 1}, False),
        ({"like": "x*"}, UNKNOWN, None),
    ],
)
def test_a_line(wanted: Any, value: Any, holds: bool | None) -> None:
    assert truth({"setting": wanted}, {"setting": value}) is holds


def test_what_nobody_set_is_null_and_not_given() -> None:
    assert truth({"setting": None}, {}) is True
    assert truth({"setting": "!= x"}, {}) is True
    assert truth({"setting": "x"}, {}) is False
    assert truth({"setting": {"given": False}}, {}) is True


@pytest.mark.parametrize(
    ("values", "holds"),
    [
        ({"size": 8, "seqs": 8, "speculative.num_speculative_tokens": 3}, True),
        ({"size": 32, "seqs": 8, "speculative.num_speculative_tokens": 3}, False),
        ({"size": 8, "seqs": UNKNOWN, "speculative.num_speculative_tokens": 3}, None),
        ({"size": 8, "speculative.num_speculative_tokens": 3}, False),
    ],
)
def test_comparing_with_other_settings(values: dict[str, Any], holds: bool | None) -> None:
    assert truth({"size": "< $seqs * ($k + 1)"}, values) is holds


@pytest.mark.parametrize(("unset", "holds"), [("< $k + 1", False), ("!= $k", None)])
def test_what_nobody_set_is_not_below_what_is_not_known(unset: str, holds: bool | None) -> None:
    values = {"max_cudagraph_capture_size": None, "speculative.num_speculative_tokens": UNKNOWN}
    assert truth({"max_cudagraph_capture_size": unset}, values) is holds


def test_arithmetic_that_divides_by_zero_is_unknown() -> None:
    assert truth({"a": "> 8 // $b"}, {"a": 1, "b": 0}) is None


def test_comparing_words_with_other_settings() -> None:
    condition = {"prefill": "!= $decode"}
    assert truth(condition, {"prefill": "fa3", "decode": "triton"}) is True
    assert truth(condition, {"prefill": "fa3", "decode": "FA3"}) is False


def test_the_largest_of_a_list() -> None:
    assert truth({"sizes.max": "< 20"}, {"sizes": [4, 16, 8]}) is True
    assert truth({"sizes.max": "< 16"}, {"sizes": [4, 16, 8]}) is False
    assert truth({"sizes.max": "< 20"}, {}) is False
    assert truth({"sizes.max": "< 20"}, {"sizes": UNKNOWN}) is None


@pytest.mark.parametrize(
    ("version", "holds"), [("0.29.0", True), ("0.28.0", False), (None, None), ("0.28.1rc1.dev130", None)]
)
def test_a_version_inside_a_range(version: str | None, holds: bool | None) -> None:
    assert truth({"version": ">= 0.29.0"}, {}, version=version) is holds
    assert truth({"version": "< 0.29.0"}, {}, version=version) is (None if holds is None else not holds)


@pytest.mark.parametrize(
    ("wanted", "words", "holds"),
    [
        ("--old-name", "serve --old-name x", True),
        ("--old-name", "serve --old_name=x", True),
        ("--old-name", "serve --old-name-too x", False),
        ("--old-name", "serve old-name", False),
        ("--mode all", "serve --mode all", True),
        ("--mode all", "serve --mode=all", True),
        ("--mode all", "serve --mode align --x all", False),
        ("--mode all", "serve --mode", False),
        (["--a", "--b c"], "serve --b c", True),
    ],
)
def test_an_option_as_written(wanted: Any, words: str, holds: bool) -> None:
    assert truth({"written": wanted}, {}, words=words) is holds


def test_unseen_is_never_known() -> None:
    assert truth({"unseen": "clients will ask"}, {}) is None
    assert truth({"unseen": "clients will ask", "a": 1}, {"a": 2}) is False


TRUTHS = {True: {"t": True}, False: {"f": True}, None: {"u": True}}
VALUES = {"t": True, "f": False, "u": UNKNOWN}


def kleene_and(parts: list[bool | None]) -> bool | None:
    return False if False in parts else None if None in parts else True


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=5))
def test_all_any_not_are_kleenes(parts: list[bool | None]) -> None:
    listed = [TRUTHS[part] for part in parts]
    every = kleene_and(parts)
    negated = [None if part is None else not part for part in parts]
    some = kleene_and(negated)
    some = None if some is None else not some
    assert truth({"all": listed}, VALUES) is every
    assert truth({"any": listed}, VALUES) is some
    assert truth({"not": listed}, VALUES) is (None if some is None else not some)


def test_not_of_a_mapping_is_not_all_of_it() -> None:
    assert truth({"not": {"t": True, "f": True}}, VALUES) is True
    assert truth({"not": {"t": True, "u": True}}, VALUES) is None


def reasons(condition: Any, values: Mapping[str, Any]) -> list[tuple[str, bool | None]]:
    return [(each.text, each.holds) for each in read_condition(condition).reasons(facts_of(values))]


def test_reasons_say_the_value_where_it_comes_from_and_where_it_stands() -> None:
    only = next(iter(read_condition({"cache": True}).reasons(facts_of({"cache": True}))))
    assert (only.text, only.holds, only.place) == ("cache is true (--cache)", True, HERE)


def test_reasons_say_what_would_make_it_definite() -> None:
    assert reasons({"cache": True}, {"cache": UNKNOWN}) == [
        ("cache is not known (--cache); would be definite if it is true", None)
    ]
    assert reasons({"not": {"cache": True}}, {"cache": UNKNOWN}) == [
        ("cache is not known (--cache); would be definite if it is not true", None)
    ]
    assert reasons({"unseen": "clients will ask"}, {}) == [
        ("no file shows whether clients will ask; would be definite if so", None)
    ]


def test_reasons_of_any_are_the_alternative_that_holds_or_all_that_are_open() -> None:
    assert reasons({"any": [{"f": True}, {"t": True}, {"u": True}]}, VALUES) == [("t is true (--t)", True)]
    open_ones = reasons({"any": [{"f": True}, {"u": True}]}, VALUES)
    assert open_ones == [("u is not known (--u); would be definite if it is true", None)]


def test_reasons_of_not_say_what_is() -> None:
    assert reasons({"not": {"moe_backend": "triton"}}, {}) == [("moe_backend is not set", True)]
    assert reasons({"not": [{"a": 1}, {"b": 2}]}, {"a": 3}) == [("a is 3 (--a)", True), ("b is not set", True)]


@pytest.mark.parametrize(
    ("condition", "path", "message"),
    [
        ("mtp", ("when",), "expected a mapping"),
        ({"any": ["mtp"]}, ("when", "any", 0), "expected a mapping"),
        ({"a": {"gven": True}}, ("when", "a", "gven"), "expected given"),
        ({"a": {"given": "yes please"}}, ("when", "a", "given"), "expected given"),
        ({"a": {}}, ("when", "a"), "empty mapping"),
        ({"a": []}, ("when", "a"), "list of plain values"),
        ({"a": [[1]]}, ("when", "a"), "list of plain values"),
        ({"a": "< $b *"}, ("when", "a"), "arithmetic"),
        ({"a": "< $b ** 9"}, ("when", "a"), "arithmetic"),
        ({"a": "< $b.__class__()"}, ("when", "a"), "arithmetic"),
        ({"a": "< $b + v0"}, ("when", "a"), "arithmetic"),
        ({"a": "< $b + " + "(" * 500}, ("when", "a"), "arithmetic"),
        ({"version": ">= soon"}, ("when", "version"), "comparison with a version"),
        ({"version": "== 0.27.0"}, ("when", "version"), "comparison with a version"),
        ({"written": "old-name"}, ("when", "written"), "expected an option"),
        ({"unseen": 3}, ("when", "unseen"), "expected a sentence"),
    ],
)
def test_what_cannot_be_read_says_where(condition: Any, path: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ConditionError, match=message) as caught:
        read_condition(condition)
    assert caught.value.path == path
