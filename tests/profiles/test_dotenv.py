"""Environment files: the grammar of Compose, values with places, errors with places."""

from __future__ import annotations

import pytest

from pytest_qwen_mtp.profiles.dotenv import EnvFile, read_env_text, read_raw_text
from pytest_qwen_mtp.profiles.interpolation import Value
from pytest_qwen_mtp.profiles.text import Given, SourceText

OUTER = {"OUT": Value("outer", Given.ENVIRONMENT)}


def read(text: str) -> EnvFile:
    return read_env_text(text, "e", OUTER.get)


def values(text: str) -> dict[str, str]:
    result = read(text)
    assert result.problems == []
    return {key: value.text for key, value in result.values.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1\nB=2", {"A": "1", "B": "2"}),
        ("export A=1\nexport\tB=2\n", {"A": "1", "B": "2"}),
        ("A: 1\nB:2\n", {"A": "1", "B": "2"}),
        ("  A = x y  # comment\n", {"A": "x y"}),
        ("A=x#y\nB=#z\nC= #d\n", {"A": "x#y", "B": "#z", "C": "#d"}),
        ("# only\n\n  # comments\nA=\n", {"A": ""}),
        ("A='$OUT \\n it\\'s # x'\n", {"A": "$OUT \\n it's # x"}),
        ('A="$OUT \\t \\"q\\" \\$OUT \\\\ \\x"\n', {"A": 'outer \t "q" $OUT \\ \\x'}),
        ('A="one\ntwo"\nB=3\n', {"A": "one\ntwo", "B": "3"}),
        ('A="\\0101 \\0 \\012"\n', {"A": "A \\ \\12"}),
        ("A=$OUT-$B-${C:-d}\nB=$A\n", {"A": "outer--d", "B": "outer--d"}),
        ("A=1\nOUT=mine\nB=$OUT\n", {"A": "1", "OUT": "mine", "B": "outer"}),
        ("OUT\nNONE\nA=1\n", {"OUT": "outer", "A": "1"}),
        ("A=1\r\nB='2'\r\n", {"A": "1", "B": "2"}),
        ("\ufeffA=1\n", {"A": "1"}),
        ("A.b-c[0]=1\nÉ=2\n1X=3\n", {"A.b-c[0]": "1", "É": "2", "1X": "3"}),
        ("A=1\nA=2\n", {"A": "2"}),
        ("", {}),
    ],
)
def test_grammar(text: str, expected: dict[str, str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("A=1\nB C=2\n", "invalid-env-file", "e:2:1"),
        ("A=1\nB!=2\n", "invalid-env-file", "e:2:2"),
        ('A=1\nB="x\nC=2\n', "invalid-env-file", "e:2:3"),
        ("A='x\n", "invalid-env-file", "e:1:3"),
        ("A=${\n", "invalid-interpolation", "e:1:3"),
        ("A=1\nB=x ${N:?say}\n", "required-variable", "e:2:5"),
        ("export ", "invalid-env-file", "e:1:7"),
    ],
)
def test_errors_have_a_place_and_end_the_reading(text: str, kind: str, place: str) -> None:
    result = read(text)
    assert [(problem.kind, str(problem.place)) for problem in result.problems] == [(kind, place)]
    assert "C" not in result.values


def test_places_of_values_and_names() -> None:
    result = read("A=1\nexport B=\"x\\ty\nz\"\n C='q'\n")
    assert str(result.places["B"]) == "e:2:8"
    value = result.values["B"]
    assert [str(value.place(value.text.index(letter))) for letter in "xyz"] == ["e:2:11", "e:2:14", "e:3:1"]
    assert str(result.values["C"].place(0)) == "e:4:5"


def test_earlier_files_are_known_after_the_own_keys() -> None:
    earlier = {"A": SourceText("early", "e0"), "B": SourceText("early", "e0")}
    result = read_env_text("A=mine\nC=$A $B\n", "e", OUTER.get, earlier.get)
    assert result.values["C"].text == "mine early"


def test_references_are_kept() -> None:
    ((_, _, use),) = read("A=x$NONE\n").values["A"].uses
    assert (use.name, use.given) == ("NONE", Given.UNSET)


def test_raw_files_are_taken_as_they_stand() -> None:
    result = read_raw_text("\ufeff# c\n A=$OUT 'q' # no\r\nOUT\nNONE\nB= x \n\nC=\n", "e", OUTER.get)
    assert {key: value.text for key, value in result.values.items()} == {
        "A": "$OUT 'q' # no",
        "OUT": "outer",
        "B": " x ",
        "C": "",
    }
    assert result.problems == []


@pytest.mark.parametrize(("text", "place"), [("A=1\n=2\n", "e:2:1"), ("A B=1\n", "e:1:1")])
def test_errors_of_raw_files(text: str, place: str) -> None:
    (problem,) = read_raw_text(text, "e", OUTER.get).problems
    assert (problem.kind, str(problem.place)) == ("invalid-env-file", place)
