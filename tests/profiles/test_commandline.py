"""Command strings: their words, where each begins, and what is lost on the way."""

from __future__ import annotations

import pytest

from pytest_qwen_mtp.profiles.commandline import Split, split_command
from pytest_qwen_mtp.profiles.interpolation import Value, interpolate
from pytest_qwen_mtp.profiles.text import Given, SourceText


def split(text: str, **known: str) -> Split:
    values = {name: Value(value, Given.FILE) for name, value in known.items()}
    return split_command(interpolate(SourceText.of_file(text, "f"), values.get).text)


def words(text: str, **known: str) -> list[str]:
    return [word.text for word in split(text, **known).words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a  b\tc\nd", ["a", "b", "c", "d"]),
        ("\"a b\" 'c d'", ["a b", "c d"]),
        ("a\"b\"'c'd", ["abcd"]),
        ('a\\ b \\"c', ["a b", '"c']),
        (r'"x\ty" \n' + " '\\t'", ["x\ty", "\n", "\\t"]),
        ("'' \"\" x", ["", "", "x"]),
        ("", []),
        ("`a \"b` $(c 'd) e", ['`a "b`', "$(c 'd)", "e"]),
        ('--json={"a":1}', ["--json={a:1}"]),
        ("a#b #c", ["a#b", "#c"]),
        ("a\u00a0b", ["a\u00a0b"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    result = split(text)
    assert [word.text for word in result.words] == expected
    assert (result.cut, result.problem) == (None, None)


@pytest.mark.parametrize(
    ("text", "expected", "column"),
    [
        ("serve --a 1 > log --b", ["serve", "--a", "1"], 13),
        ("serve 2>&1", ["serve"], 8),
        ("serve 27b>log", ["serve", "27b"], 10),
        ("a;b", ["a"], 2),
        ("a && b", ["a"], 3),
        ("a | b", ["a"], 3),
        ("a '>' \"|\" \\; <x", ["a", ">", "|", ";"], 14),
    ],
)
def test_free_operators_end_the_command(text: str, expected: list[str], column: int) -> None:
    result = split(text)
    assert [word.text for word in result.words] == expected
    assert str(result.cut) == f"f:1:{column}"
    assert result.problem is None


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("a 'b", 3, "single quote"),
        ('a "b', 3, "double quote"),
        ("a \\", 3, "backslash"),
        ("a `b", 3, "backtick"),
        ("a $(b", 4, "bracket"),
        ("a (b)", 3, "free `(`"),
        ("a b)", 4, "free `)`"),
        ("a \\\\$(b)", 6, "free `(`"),
    ],
)
def test_what_compose_cannot_split(text: str, column: int, said: str) -> None:
    result = split(text)
    assert result.problem is not None
    assert (result.problem.kind, result.problem.place.column) == ("invalid-command", column)
    assert said in result.problem.message
    assert result.words[0].text == "a"


def test_a_long_command_is_not_quoted_in_full() -> None:
    problem = split("'" + "x " * 50_000).problem
    assert problem is not None
    assert len(problem.message) < 300


def test_places_of_words_over_lines() -> None:
    result = split("serve\n  --a 'x\n y'  --b")
    assert [str(word.place) for word in result.words] == ["f:1:1", "f:2:3", "f:2:7", "f:3:6"]


def test_values_are_split_and_lose_their_quotes() -> None:
    assert words('--spec $JSON "$JSON" --name \'$TWO\' $TWO', JSON='{"k": 1}', TWO="a b") == [
        "--spec", "{k:", "1}", "{k: 1}", "--name", "a b", "a", "b",
    ]  # fmt: skip


def test_an_unset_variable_gives_no_word_unless_quoted() -> None:
    result = split('serve $NONE "$GONE" --x')
    assert [word.text for word in result.words] == ["serve", "", "--x"]
    assert [use.name for use in result.vanished] == ["NONE"]
    assert [use.name for word in result.words for use in word.references] == ["GONE"]


def test_references_belong_to_the_words_they_fill() -> None:
    result = split("a-$X ${Y:-b c} d$NONE", X="1 2", Y="")
    assert [(word.text, [use.name for use in word.references]) for word in result.words] == [
        ("a-1", ["X"]), ("2", ["X"]), ("b", ["Y"]), ("c", ["Y"]), ("d", ["NONE"]),
    ]  # fmt: skip
    assert result.vanished == ()


def test_a_word_with_blanks_knows_the_place_of_every_character() -> None:
    (_, _, script) = split("bash -c 'exec serve\n --x \"$@\"'").words
    assert script.source is not None
    assert script.source.text == script.text
    assert str(script.source.place(script.text.index("serve"))) == "f:1:15"
    assert str(script.source.place(script.text.index("--x"))) == "f:2:2"


def test_an_escape_stands_at_its_backslash() -> None:
    (word,) = split('"a\\tb c"').words
    assert word.source is not None
    assert [word.source.place(offset).column for offset in range(4)] == [2, 3, 5, 6]
