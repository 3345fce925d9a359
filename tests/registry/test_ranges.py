"""Version ranges: events, builds of main, and what was not seen."""

from __future__ import annotations

import pytest

from pytest_qwen_mtp.registry.ranges import Range, at_least, parse_version, standing


@pytest.mark.parametrize(
    ("version", "holds"),
    [
        ("0.14.1", False),
        ("0.15.0rc1", False),
        ("0.15.0", True),
        ("0.26.2", True),
        ("0.27.0rc1", True),
        ("0.27.0", False),
        ("0.27.0+cu129", False),
        ("0.26.0+cu129", True),
        ("0.26.0.post1", True),
        ("v0.20.0", True),
    ],
)
def test_from_introduced_to_before_fixed(version: str, holds: bool) -> None:
    assert standing([Range("0.15.0", fixed="0.27.0")], version, "vllm").holds is holds


@pytest.mark.parametrize(("version", "holds"), [("0.27.1", True), ("0.27.1+cu129", True), ("0.27.2", False)])
def test_last_affected_is_affected_and_local_builds_are_that_release(version: str, holds: bool) -> None:
    assert standing([Range("0.23.0", last_affected="0.27.1")], version, "vllm").holds is holds


def test_a_release_candidate_does_not_escape() -> None:
    # packaging's specifier "<0.11.1" would not contain it.
    assert standing([Range(fixed="0.11.1")], "0.11.1rc1", "vllm").holds is True


@pytest.mark.parametrize(("version", "holds"), [("0.19.0", None), ("0.19.1", True), ("0.32.0", True), ("0.33.0", None)])
def test_outside_of_what_was_seen_is_unknown(version: str, holds: bool | None) -> None:
    each = Range("0.19.0", seen_from="0.19.1", seen_to="0.32.0")
    assert standing([each], version, "vllm").holds is holds


@pytest.mark.parametrize("version", [None, "", "latest", "nightly-4ccff14", "0.0.0.dev1+gd91c3682b", "1" * 5000])
def test_what_names_no_release_is_unknown(version: str | None) -> None:
    result = standing([Range("0.15.0", fixed="0.27.0")], version, "vllm")
    assert result.holds is None
    assert "0.15.0 to before 0.27.0" in result.text


@pytest.mark.parametrize(
    ("version", "engine", "bound", "reached"),
    [
        ("0.26.1rc1.dev1424", "vllm", "0.27.0", None),
        ("0.26.1rc1.dev1424", "vllm", "0.28.0", None),
        ("0.26.1rc1.dev1424", "vllm", "0.29.0", False),
        ("0.26.1rc1.dev1424", "vllm", "0.26.0", True),
        ("0.26.1", "vllm", "0.27.0", False),
        ("0.5.14.dev12", "sglang", "0.5.14", None),
        ("0.5.14.dev12", "sglang", "0.5.17", False),
        ("11434", "llamacpp", "b11435", False),
    ],
)
def test_a_build_of_main_may_have_what_the_next_releases_have(
    version: str, engine: str, bound: str, reached: bool | None
) -> None:
    parsed = parse_version(version)
    assert parsed is not None
    assert at_least(parsed, bound, engine) is reached


def test_a_build_of_main_before_the_fix_says_why_it_is_unknown() -> None:
    result = standing([Range("0.22.0", fixed="0.27.0")], "0.26.1rc1.dev608", "vllm")
    assert result.holds is None
    assert "may already have the fix of 0.27.0" in result.text


def test_one_of_several_ranges_suffices_and_a_doubt_in_another_does_not_matter() -> None:
    ranges = [Range("0.15.0", fixed="0.17.0"), Range("0.26.0", seen_to="0.27.0")]
    assert standing(ranges, "0.16.0", "vllm").holds is True
    assert standing(ranges, "0.20.0", "vllm").holds is False
    assert standing(ranges, "0.28.0", "vllm").holds is None


def test_build_numbers_are_versions() -> None:
    each = Range("b10741", fixed="b10749")
    assert [standing([each], build, "llamacpp").holds for build in ("b10740", "10741", "b10748", "b10749")] == [
        False,
        True,
        True,
        False,
    ]


def test_a_bound_that_is_no_version_is_an_error() -> None:
    parsed = parse_version("1.0")
    assert parsed is not None
    with pytest.raises(ValueError, match="not a version"):
        at_least(parsed, "soon", "vllm")
