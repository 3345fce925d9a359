"""Variables in Compose's syntax: what they give, where it stands, and who gave it."""

from __future__ import annotations

import pytest

from pytest_qwen_mtp.findings import Place, Severity
from pytest_qwen_mtp.profiles.interpolation import GROWTH_LIMIT, Interpolated, Value, Variable, interpolate
from pytest_qwen_mtp.profiles.text import Given, SourceText

DOTENV = Place(".env", 3, 5)
KNOWN = {
    "SET": Value("value", Given.FILE, DOTENV),
    "EMPTY": Value("", Given.FILE, DOTENV),
    "OUTSIDE": Value("out", Given.ENVIRONMENT),
}


def fill(text: str) -> Interpolated:
    return interpolate(SourceText.of_file(text, "f"), KNOWN.get)


def given(text: str) -> list[tuple[str, Given, str]]:
    """Each reference with the part of the result that it covers."""
    result = fill(text).text
    return [(use.name, use.given, result.text[start:end]) for start, end, use in result.uses]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$SET", "value"),
        ("${SET}x", "valuex"),
        ("$SET_", ""),
        ("${NONE:-d}", "d"),
        ("${EMPTY:-d}", "d"),
        ("${EMPTY-d}", ""),
        ("${NONE-d}", "d"),
        ("${SET:+a}", "a"),
        ("${EMPTY:+a}", ""),
        ("${EMPTY+a}", "a"),
        ("${NONE+a}", ""),
        ("${SET:?m}", "value"),
        ("${EMPTY?m}", ""),
        ("${NONE:-${ALSO:-${SET}}}", "value"),
        ('${NONE:-{"a":{"b":${SET:-2}}}}', '{"a":{"b":value}}'),
        ('${SET:-{"a":{}}}', "value"),
        ("${NONE:-{{x}}} ${SET:-{{x}}}", "{{x}} value}"),
        ("$$SET $${SET} $$$SET", "$SET ${SET} $value"),
        ('lone $ "$@" $1 $(x)', 'lone $ "$@" $1 $(x)'),
        ("${NONE:-a}\n${SET}}", "a\nvalue}"),
    ],
)
def test_every_form(text: str, expected: str) -> None:
    result = fill(text)
    assert result.text.text == expected
    assert result.problems == ()


def test_text_without_a_dollar_is_the_same_object() -> None:
    source = SourceText.of_file("plain", "f")
    assert interpolate(source, KNOWN.get).text is source


def test_who_gave_what() -> None:
    assert given("$SET ${NONE} ${NONE:-d} ${OUTSIDE:-d} ${SET:+a} ${NONE:+a} ${NONE:-}") == [
        ("SET", Given.FILE, "value"),
        ("NONE", Given.UNSET, ""),
        ("NONE", Given.DEFAULT, "d"),
        ("OUTSIDE", Given.ENVIRONMENT, "out"),
        ("SET", Given.ALTERNATE, "a"),
        ("NONE", Given.ALTERNATE, ""),
        ("NONE", Given.DEFAULT, ""),
    ]


def test_nested_references_lie_inside_the_outer_one() -> None:
    assert given("x${NONE:-a$SET}") == [("NONE", Given.DEFAULT, "avalue"), ("SET", Given.FILE, "value")]


def test_where_the_value_was_given() -> None:
    ((_, _, use),) = fill("a $SET").text.uses
    assert (use.place, use.given_at) == (Place("f", 1, 3), DOTENV)


def test_places_before_inside_and_behind() -> None:
    text = fill("ab ${NONE:-xy} cd\n$$e $SET f").text
    assert text.text == "ab xy cd\n$e value f"
    places = {letter: str(text.place(text.text.index(letter))) for letter in "bxycdefv"}
    assert places == {
        "b": "f:1:2",
        "x": "f:1:12",
        "y": "f:1:13",
        "c": "f:1:16",
        "d": "f:1:17",
        "e": "f:2:3",
        "f": "f:2:10",
        "v": "f:2:5",
    }


def test_a_required_variable_is_told_and_kept() -> None:
    result = fill("a ${NONE:?set the depth} b")
    (problem,) = result.problems
    assert (problem.kind, problem.severity, problem.place) == ("required-variable", Severity.HIGH, Place("f", 1, 3))
    assert problem.message == "the required variable NONE has no value: set the depth"
    assert result.text.text == "a ${NONE} b"
    assert given("a ${NONE:?set the depth} b") == [("NONE", Given.UNKNOWN, "${NONE}")]


@pytest.mark.parametrize(
    "text",
    ["${", "${}", "${1}", "${@}", "${ SET}", "${SET }", "${SET", "${SET:x}", "${SET%x}", "${SET[0]}", "${#SET}",
     "${SET:=x}", "${!SET}", "${NONE:-a\nb}", "${NONE:-${}}", "${é}"],
)  # fmt: skip
def test_forms_that_compose_refuses(text: str) -> None:
    result = fill("ab " + text)
    assert [problem.kind for problem in result.problems] == ["invalid-interpolation"]
    assert result.problems[0].place.column == (12 if text == "${NONE:-${}}" else 4)
    assert "${" in result.text.text
    assert not all(use.resolved for _, _, use in result.text.uses)


def test_a_default_that_is_not_used_is_not_read() -> None:
    result = fill("${SET:-${NONE:?never}} ${SET:-${}")
    assert result.problems == ()
    assert [variable.name for variable in result.variables] == ["SET", "SET"]


def test_variables_as_written() -> None:
    assert fill("${SET:-d} ${NONE:+--eager} $OUTSIDE").variables == (
        Variable("SET", Place("f", 1, 1), ":-", "d", Given.FILE),
        Variable("NONE", Place("f", 1, 11), ":+", "--eager", Given.ALTERNATE),
        Variable("OUTSIDE", Place("f", 1, 28), "", "", Given.ENVIRONMENT),
    )


def test_deep_nesting_is_told() -> None:
    result = fill("${A:-" * 3000 + "}" * 3000)
    assert [problem.kind for problem in result.problems] == ["invalid-interpolation"]


def test_growth_is_bounded() -> None:
    long = {"L": Value("x" * 1000, Given.FILE, DOTENV)}
    result = interpolate(SourceText("$L" * 5000, "f"), long.get)
    assert len(result.text.text) <= GROWTH_LIMIT
    assert [problem.kind for problem in result.problems] == ["invalid-interpolation"]


def test_only_the_first_problems_of_a_text_are_told() -> None:
    assert len(fill("${ " * 1000).problems) == 10
