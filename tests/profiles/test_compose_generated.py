"""Generated values, scalars, command strings, environment files and overrides, against the real Compose binary.

One call of the binary costs 50 ms, so that each example is a whole batch: many services in one file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from compose_oracle import Refused, Service, compose_services, our_services
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pytest_qwen_mtp.profiles.compose import resolve

ENVIRONMENT = {"SET": "value", "EMPTY": "", "BLANKS": "a  b", "QUOTES": "\"q\" 'r'"}

batches = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # a failure names its value; shrinking would call the binary hundreds of times
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("generated")


def texts(*pieces: str, longest: int) -> st.SearchStrategy[list[str]]:
    one = st.lists(st.sampled_from(pieces), min_size=1, max_size=longest).map("".join)
    return st.lists(one, min_size=60, max_size=60, unique=True)


def agree(folder: Path, values: list[str], write: Callable[[int, str], str]) -> None:
    """Each value in a service of its own. What we refuse, Compose refuses; of the rest every service is the same."""

    def ask(chosen: list[str]) -> tuple[dict[str, Service] | Refused, dict[str, Service], bool]:
        parts = [write(index, value) for index, value in enumerate(chosen)]
        (folder / "compose.yaml").write_bytes(("services:\n" + "".join(parts)).encode())
        project = resolve([folder / "compose.yaml"], ENVIRONMENT)
        return compose_services(folder, None, ENVIRONMENT), our_services(project), bool(project.problems)

    def refused_by_us(value: str) -> bool:
        (folder / "compose.yaml").write_bytes(("services:\n" + write(0, value)).encode())
        return bool(resolve([folder / "compose.yaml"], ENVIRONMENT).problems)

    refused = [value for value in values if refused_by_us(value)]
    for value in refused[:1]:
        assert isinstance(ask([value])[0], Refused), f"only we refuse {value!r}"
    taken = [value for value in values if value not in refused]
    theirs, ours, _ = ask(taken)
    if isinstance(theirs, Refused):
        culprits = [value for value in taken if isinstance(ask([value])[0], Refused)]
        pytest.fail(f"only Compose refuses {culprits!r}: {theirs.said}")
    for index, value in enumerate(taken):
        assert ours[f"s{index}"] == theirs[f"s{index}"], repr(value)


@given(values=texts("$", "$$", "${", "}", "{", "SET", "EMPTY", "NONE", ":-", "-", ":+", "+", ":?", " ", '"', "x", "é",
                    "${SET}", "${NONE:-", "${EMPTY:+", "\n", longest=9))  # fmt: skip
@batches
def test_interpolation(folder: Path, values: list[str]) -> None:
    agree(folder, values, lambda index, value: f" s{index}: {{image: x, command: [{json.dumps(value)}]}}\n")


@given(values=texts("a", "2", " ", "  ", '"', "'", "\\", "`", "$$(", "(", ")", ">", ";", "|", "t", "n", "\n", "\t", "#",
                    "--x", "é", "\v", longest=9))  # fmt: skip
@batches
def test_command_strings(folder: Path, values: list[str]) -> None:
    agree(folder, values, lambda index, value: f" s{index}: {{image: x, command: {json.dumps(value)}}}\n")


@given(values=texts("$SET", "${EMPTY}", "$BLANKS", "$QUOTES", "${NONE}", '"', "'", " ", "a", "\\", longest=7))
@batches
def test_splitting_comes_after_interpolation(folder: Path, values: list[str]) -> None:
    agree(folder, values, lambda index, value: f" s{index}: {{image: x, command: {json.dumps(value)}}}\n")


@given(values=texts("0", "1", "7", "8", "12", ".", "e", "E", "+", "-", "_", "x", "o", "b", "0x", "0o", "f",
                    "2026-07-01", "T12:00:00", "Z", ":", "true", "no", "null", "~", "inf", longest=5))  # fmt: skip
@batches
def test_scalars(folder: Path, values: list[str]) -> None:
    plain = [value for value in values if not value.startswith(("- ", "-\n")) and value not in ("-", "---")]
    plain = [value for value in plain if not value.endswith(":") and value.strip("+-").lower() != ".inf"]
    agree(folder, plain, lambda index, value: f" s{index}:\n  image: x\n  environment:\n   A: {value}\n")


@given(values=texts("A", "B", "SET", "=", "=", "\n", "\n", '"', "'", "\\", "$", "${", "}", ":-", " ", "#", " #", "x",
                    "export ", ": ", "\r\n", "\t", "1", "\\n", "$A", "\\$", longest=12))  # fmt: skip
@batches
def test_environment_files(folder: Path, values: list[str]) -> None:
    def write(index: int, value: str) -> str:
        (folder / f"{index}.env").write_bytes(value.encode())
        return f" s{index}: {{image: x, env_file: {index}.env}}\n"

    agree(folder, values, write)


_words = st.lists(st.sampled_from(["a", "b c", "$SET", "--x"]), max_size=3)
_pairs = st.dictionaries(st.sampled_from("ABC"), st.sampled_from(["1", "", "x=y"]), max_size=3)
_volume = st.builds("./{}:/{}".format, st.sampled_from("pq"), st.sampled_from(["m", "n/", "m/../n"]))
_service = st.fixed_dictionaries(
    {},
    optional={
        "image": st.sampled_from(["x:1", "y:$SET"]),
        "command": st.one_of(_words, st.sampled_from(["a 'b c'", ""]), st.none()),
        "entrypoint": st.one_of(_words, st.sampled_from(["e f", ""]), st.none()),
        "environment": st.one_of(
            _pairs, _pairs.map(lambda each: [f"{key}={value}" if value else key for key, value in each.items()])
        ),
        "env_file": st.one_of(st.sampled_from(["e1", "e2"]), st.lists(st.sampled_from(["e1", "e2"]), max_size=2)),
        "volumes": st.lists(_volume, max_size=3, unique=True),
        "profiles": st.lists(st.sampled_from("pqr"), max_size=2, unique=True),
        "working_dir": st.sampled_from(["/w", "/v"]),
        "build": st.one_of(
            st.sampled_from([".", "./d"]),
            st.fixed_dictionaries(
                {},
                optional={
                    "context": st.sampled_from([".", "e"]),
                    "args": st.one_of(_pairs, st.just(["A=2", "D"])),
                    "target": st.sampled_from("tu"),
                },
            ),
        ),
    },
)
_tags = st.dictionaries(st.sampled_from(["command", "environment", "volumes", "build", "env_file"]),
                        st.sampled_from(["!reset", "!override"]), max_size=2)  # fmt: skip


def _yaml(service: dict[str, object], tags: dict[str, str]) -> str:
    lines = []
    for key, value in service.items():
        tag = tags.get(key, "")
        written = "null" if tag == "!reset" else json.dumps(value)
        lines.append(f"  {key}: {tag if written != 'null' or tag == '!reset' else ''} {written}\n")
    return "".join(lines)


@given(pairs=st.lists(st.tuples(_service, _service, _tags), min_size=25, max_size=25))
@batches
def test_overrides(folder: Path, pairs: list[tuple[dict[str, object], dict[str, object], dict[str, str]]]) -> None:
    project = folder / "overrides"
    project.mkdir(exist_ok=True)
    (project / "e1").write_text("A=e1\nE=1\n")
    (project / "e2").write_text("A=e2\nF=$A\n")
    first = "".join(f" s{i}:\n{_yaml({'image': 'i', **base}, {})}" for i, (base, _, _) in enumerate(pairs))
    second = "".join(f" s{i}:\n  x-keep: 1\n{_yaml(over, tags)}" for i, (_, over, tags) in enumerate(pairs))
    (project / "a.yaml").write_text("services:\n" + first)
    (project / "b.yaml").write_text("services:\n" + second)
    theirs = compose_services(project, ("a.yaml", "b.yaml"), ENVIRONMENT)
    assert not isinstance(theirs, Refused), theirs.said
    ours = our_services(resolve([project / "a.yaml", project / "b.yaml"], ENVIRONMENT))
    for name, service in theirs.items():
        assert ours[name] == service, name


@given(pairs=st.lists(st.tuples(_service, _service, _tags), min_size=25, max_size=25))
@batches
def test_extends(folder: Path, pairs: list[tuple[dict[str, object], dict[str, object], dict[str, str]]]) -> None:
    project = folder / "extends"
    (project / "sub").mkdir(exist_ok=True, parents=True)
    for place in (project, project / "sub"):
        (place / "e1").write_text(f"A={place.name}1\nE=1\n")
        (place / "e2").write_text(f"A={place.name}2\nF=$A\n")
    base = "".join(f" b{i}:\n{_yaml({'image': 'i', **base}, {})}" for i, (base, _, _) in enumerate(pairs))
    over = "".join(
        f" s{i}:\n  extends: {{file: sub/base.yaml, service: b{i}}}\n{_yaml(over, tags)}"
        for i, (_, over, tags) in enumerate(pairs)
    )
    (project / "sub" / "base.yaml").write_text("services:\n" + base)
    (project / "compose.yaml").write_text("services:\n" + over)
    theirs = compose_services(project, None, ENVIRONMENT)
    assert not isinstance(theirs, Refused), theirs.said
    ours = our_services(resolve([project / "compose.yaml"], ENVIRONMENT))
    for name, service in theirs.items():
        assert ours[name] == service, name
