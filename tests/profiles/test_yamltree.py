"""YAML files that cannot be read, and where each character of the readable ones stands."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from yaml.nodes import MappingNode, ScalarNode

from pytest_qwen_mtp.profiles.text import SourceText
from pytest_qwen_mtp.profiles.yamltext import scalar_text
from pytest_qwen_mtp.profiles.yamltree import SIZE_LIMIT, UNFOLD_LIMIT, Tree, Unreadable, parse_yaml, read_yaml

BAD = Path(__file__).parent / "deployments" / "bad"
STATED = {each["file"]: each for each in yaml.safe_load((BAD / "expected.yaml").read_text())["bad"]}


def refusal(path: Path) -> tuple[str, int | None, int | None, str]:
    with pytest.raises(Unreadable) as caught:
        read_yaml(path)
    problem = caught.value.problem
    assert problem.place.path == str(path)
    return problem.kind, problem.place.line, problem.place.column, problem.message


@pytest.mark.parametrize("name", ["tab-indent.yaml", "photo.yaml", "latin1.yaml", "empty.yaml"])
def test_unreadable_files_of_the_deployments(name: str) -> None:
    kind, line, column, message = refusal(BAD / name)
    stated = STATED[name]
    assert (kind, line, column) == (stated["kind"], stated["place"]["line"], stated["place"]["column"])
    said = {"tab-indent.yaml": "tab stands where YAML allows only blanks", "photo.yaml": "no text file",
            "latin1.yaml": "byte 0xfc is not valid UTF-8", "empty.yaml": "the file is empty"}  # fmt: skip
    assert said[name] in message


def test_duplicate_key_is_told_and_the_rest_is_read() -> None:
    tree = read_yaml(BAD / "duplicate-key.yaml")
    (problem,) = tree.problems
    assert (problem.kind, problem.place.line, problem.place.column) == ("duplicate-key", 6, 5)
    assert "the key `command` is already given at line 4" in problem.message


def test_alias_bomb_is_answered_at_once() -> None:
    begin = time.process_time()
    kind, line, column, message = refusal(BAD / "alias-bomb.yaml")
    assert time.process_time() - begin < 1
    assert kind == "alias-expansion"
    assert line is not None
    assert (line, column) == (15, 14) or 2 <= line <= 11
    assert f"the limit is {UNFOLD_LIMIT:,}" in message


def test_aliases_below_the_limit_are_read() -> None:
    tree = parse_yaml("a: &a [1, 2]\nb: &b [*a, *a]\nc: [*b, *b, *b]\n", "x")
    assert tree.problems == ()


@pytest.mark.parametrize("text", ["a: &a [*a]\n", "a: &a {b: {c: *a}}\n", "a: &a\n  b: [1, *a]\n"])
def test_an_alias_inside_its_own_anchor(text: str) -> None:
    with pytest.raises(Unreadable, match="refers to the node itself"):
        parse_yaml(text, "x")


def test_folder(tmp_path: Path) -> None:
    assert refusal(tmp_path)[:3] == ("is-a-directory", None, None)


def test_too_large_file_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "big.yaml"
    with path.open("wb") as file:
        file.truncate(SIZE_LIMIT + 1)
    kind, line, _, message = refusal(path)
    assert (kind, line) == ("too-large", None)
    assert "2,000,001" in message
    assert "2,000,000" in message


def test_missing_file_and_symlink_loop(tmp_path: Path) -> None:
    assert refusal(tmp_path / "gone.yaml")[0] == "missing-file"
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert refusal(tmp_path / "a")[0] == "missing-file"


def test_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    assert refusal(tmp_path / "pipe.yaml")[0] == "not-text"


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("a: [1,\n2\n", (3, 1), "flow sequence that begins at line 1"),
        ("a: b: c\n", (1, 5), "mapping values are not allowed"),
        ("a: 'x\n", (2, 1), "quoted scalar"),
        ("a: 1\nb: *gone\n", (2, 4), "`*gone` refers to an anchor that is not defined"),
        ("a: 1\nb: \x07\n", (2, 4), "U+0007"),
        ("a: @x\n", (1, 4), "cannot start any token"),
    ],
)
def test_syntax_errors(text: str, place: tuple[int, int], said: str) -> None:
    with pytest.raises(Unreadable) as caught:
        parse_yaml(text, "x")
    problem = caught.value.problem
    assert problem.kind == "invalid-yaml"
    assert (problem.place.line, problem.place.column) == place
    assert said in problem.message


def test_no_message_quotes_a_long_line() -> None:
    for text in ("a: " + "x" * 100_000 + ": b\n", "a: {" + "k" * 100_000 + ": 1, " + "k" * 100_000 + ": 2}\n"):
        try:
            messages = [problem.message for problem in parse_yaml(text, "x").problems]
        except Unreadable as error:
            messages = [error.problem.message]
        assert messages
        assert all(len(message) < 300 for message in messages)


@pytest.mark.parametrize("text", ["[" * 5000, "- " * 5000 + "x", "{a: " * 5000])
def test_deep_nesting_is_an_error_not_a_crash(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        parse_yaml(text, "x")
    assert caught.value.problem.kind == "invalid-yaml"


@pytest.mark.parametrize("text", ["# only a comment\n", "\n\n", "---\n", "--- ~\n"])
def test_nothing_in_it(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        parse_yaml(text, "x")
    assert caught.value.problem.kind == "empty-file"


def test_encodings_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    text = "a: é\r\nb: x\r\n"
    for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16")):
        path.write_bytes(data)
        tree = read_yaml(path)
        (_, first), (_, second) = tree.roots[0].value
        assert (first.value, second.value) == ("é", "x")
        assert str(scalar_text(tree, second).place(0)) == f"{path}:2:4"


def test_every_document_is_a_root() -> None:
    tree = parse_yaml("a: 1\n---\nb: $X\n", "x")
    assert [root.value[0][0].value for root in tree.roots] == ["a", "b"]
    assert [node.value for node in tree.templates] == ["$X"]


def test_an_anchor_may_be_given_twice() -> None:
    tree = parse_yaml("a: &x 1\nb: *x\nc: &x [2]\nd: *x\ne: 'q'\n", "x")
    values = {key.value: value.value for key, value in tree.roots[0].value}
    assert (values["b"], values["d"][0].value, values["e"]) == ("1", "2", "q")


def only(text: str) -> tuple[Tree, ScalarNode]:
    tree = parse_yaml(text, "x")
    root = tree.roots[0]
    assert isinstance(root, MappingNode)
    return tree, root.value[0][1]


def wrong_places(source: SourceText, text: str) -> list[tuple[int, str]]:
    """The visible characters that do not stand where the text says; an escape stands at its backslash."""
    lines = text.split("\n")
    wrong = []
    for offset, letter in enumerate(source.text):
        place = source.place(offset)
        assert place.line is not None
        assert place.column is not None
        found = lines[place.line - 1][place.column - 1 : place.column]
        if found not in (letter, "\\") and not letter.isspace():
            wrong.append((offset, letter))
    return wrong


STYLES = {
    "plain": "a: one two\n",
    "plain over lines": "a: one\n  two\n\n  three\n",
    "single": "a: 'it''s  here'\n",
    "single over lines": "a: 'one\n   two\n\n   three '' end'\n",
    "double": 'a: "x\\ty\\u0041z \\"q\\" \\x41"\n',
    "double over lines": 'a: "one \\\n    joined\n\n    gap \\t\n    end"\n',
    "literal": "a: |\n   one\n     two\n\n   three\n",
    "literal, blank first": "a: |\n\n   one\nb: 1\n",
    "literal, indented": "a: |2-\n    two extra\n   one extra\n\n",
    "folded": "a: >-\n   one\n   two\n     more\n     more2\n   back\n\n   para\n",
    "folded, kept": "a: >2+\n\n     lead\n  x\n\n",
    "behind a comment": "a: | # why\n  one\n# no part of it\n",
    "anchor and tag": "a: &anc !!str\n  foo bar\n",
    "anchored block": "a: &anc |\n  foo\n  bar\n",
}


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_places_in_every_style(text: str, ends: str) -> None:
    written = text.replace("\n", ends)
    tree, node = only(written)
    source = scalar_text(tree, node)
    assert source.text == node.value
    assert wrong_places(source, written) == []
    assert source.anchors[0].step == 1


@pytest.mark.parametrize(
    ("text", "offset", "place"),
    [
        ("a: |\n   one\n     two\n", 6, "x:3:6"),
        ("a: >-\n   one\n   two\n", 4, "x:3:4"),
        ('a: "x\\ty"\n', 2, "x:1:8"),
        ("a: one\n  two\n", 4, "x:2:3"),
        ("a: ''\n", 0, "x:1:5"),
    ],
)
def test_exact_places(text: str, offset: int, place: str) -> None:
    tree, node = only(text)
    assert str(scalar_text(tree, node).place(offset)) == place


_line = st.text(st.sampled_from("ab '\"\\:#é"), max_size=8)
_styles = st.sampled_from(["", "'", '"', "|", ">"])


@given(lines=st.lists(_line, min_size=1, max_size=5), style=_styles, width=st.sampled_from([12, 80]))
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
def test_places_of_dumped_scalars(lines: list[str], style: str, width: int) -> None:
    dumper = yaml.SafeDumper
    node = yaml.ScalarNode("tag:yaml.org,2002:str", "\n".join(lines), style=style or None)
    key = yaml.ScalarNode("tag:yaml.org,2002:str", "a")
    text = yaml.serialize(
        yaml.MappingNode("tag:yaml.org,2002:map", [(key, node)]), Dumper=dumper, width=width, allow_unicode=True
    )
    tree, parsed = only(text)
    source = scalar_text(tree, parsed)
    assert source.text == parsed.value
    assert wrong_places(source, text) == []
