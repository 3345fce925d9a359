"""Small generated scripts, held against real bash: every value is known, so every word must be.

``A``, ``B``, ``C``, ``K`` (a number) and ``F`` (an array) are always set; ``X`` and ``Y`` never are, and stand only
where the script says what happens without them.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from reading import read
from shell_oracle import AVAILABLE

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="the judge of these tests is a real bash on Linux")

SCRIPTS_PER_BASH = 12
# Each script runs in a subshell of one bash. A word ends with NUL, a start with \1 NUL, a script with \2 NUL.
RECORDER = r"""vllm() { printf '%s\0' vllm "$@"; printf '\1\0'; }"""
SUBSHELL = "(\n{script}\n)\nprintf '\\2\\0'\n"

TEXTS = (
    "qwen",
    "a b",
    "  x ",
    "fp8",
    "0",
    "yes",
    "",
    "no",
    "/disk/q36-27b.fp8",
    "k=v=w",
    '{"m": "mtp"}',
    "it's",
    "--x 1",
)
PLAIN = ("qwen", "fp8", "0", "yes", "no", "/disk/q36-27b.fp8", "k=v=w", "--port", "8000", "a,b")
texts = st.sampled_from(TEXTS)
plain = st.sampled_from(PLAIN)
scalars = st.sampled_from(("A", "B", "C"))
patterns = st.sampled_from(("qwen", "*q*", "y??", "[0-9]", "[!0-9]*", "/disk/*", "*", '"*"', "no|yes", "''", "a\\ b"))
trims = st.sampled_from(("#*/", "##*/", "%.*", "%%.*", "#q", "%8", "#*=", "%%=*", "##*[ -]", "%?"))
substitutions = st.sampled_from(("/q/Q", "//[ -]/_", "/#q/X", "/%8/16", "//q", "//e/", "/ /\\ "))
cases = st.sampled_from(("^", "^^", ",", ",,"))


def single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def double(text: str) -> str:
    for each in '\\"$`':
        text = text.replace(each, "\\" + each)
    return f'"{text}"'


@st.composite
def expansions(draw: st.DrawFn) -> str:
    """An unquoted or bare ``${…}`` of a variable that has a value, which may be empty."""
    if draw(st.integers(0, 5)) == 0:
        return "${" + draw(st.sampled_from("XY")) + draw(st.sampled_from((":-", "-", ":+", "+"))) + draw(plain) + "}"
    name = draw(scalars)
    operator = draw(
        st.one_of(
            st.just(""),
            st.tuples(st.sampled_from((":-", "-", ":+", "+")), plain).map("".join),
            trims,
            substitutions,
            cases,
            st.sampled_from((":1", ":0:3", ": -2", ":1:-1 ")).filter(lambda cut: cut != ":1:-1 "),
        )
    )
    return f"${{{name}{operator}}}" if operator or draw(st.booleans()) else f"${name}"


numbers = st.one_of(
    st.integers(0, 9).map(str),
    st.sampled_from(
        ("$((K + 1))", "$((K*2%5))", "$(( K > 2 ? K : 7 ))", "$K", "${K}", "${#A}", "${#F[@]}", "$((2**K))")
    ),
)
elements = st.sampled_from(('"${F[@]}"', "${F[@]}", '"${F[*]}"', '"${F[0]}"', '"${F[@]:1}"', '"p${F[@]}s"'))


pieces = st.one_of(
    plain,
    texts.map(single),
    texts.map(double),
    expansions(),
    expansions().map(lambda each: f'"{each}"'),
    st.tuples(plain, expansions(), plain).map(lambda each: '"' + " ".join(each) + '"'),
    numbers,
    st.sampled_from(("\\ ", "\\\\", "$'a\\tb'", "x{1,2}y", "{b..d}", '\\"', "\\\n")),
)
# One word as written, glued of quoted and unquoted pieces; it may expand to none or several.
small_words = st.lists(pieces, min_size=1, max_size=3).map("".join)
words = st.one_of(elements, small_words)


values = st.one_of(
    texts.map(single),
    texts.map(double),
    expansions(),
    expansions().map(lambda each: f'"{each}"'),
    st.tuples(expansions(), plain).map(lambda each: f'"{each[0]} {each[1]}"'),
    st.just('"${F[*]}"'),
    numbers,
)


@st.composite
def conditions(draw: st.DrawFn) -> str:
    name, text, number = draw(scalars), draw(texts), draw(st.integers(0, 6))
    return draw(
        st.sampled_from(
            (
                f'[ "${name}" = {single(text)} ]',
                f'[ "${name}" != {double(text)} ]',
                f'[ -n "${name}" ]',
                f"[[ -z ${name} ]]",
                f"[[ ${name} == {draw(patterns.filter(lambda each: '|' not in each))} ]]",
                f"[[ ${name} =~ ^[a-z]+$ ]]",
                f'[ "$K" -gt {number} ]',
                f"(( K <= {number} ))",
                f"[[ $K -eq {number} || -n ${name} ]]",
                f'! test "${name}" == {single(text)}',
                f'[ -n "${name}" ] && (( ${{#F[@]}} > {number} ))',
                f'[ "${{X:-{number}}}" -lt 3 ]',
                f'[ "${{Y:-yes}}" = {draw(plain)} ]',
                '[ -n "${X:-}" ]',
                "[[ -z $Y ]]",
            )
        )
    )


def blocks(depth: int, looped: bool) -> st.SearchStrategy[str]:
    return st.lists(statements(depth, looped), min_size=1, max_size=3).map("\n".join)


def statements(depth: int, looped: bool = False) -> st.SearchStrategy[str]:
    """One statement; ``depth`` more levels of nesting are allowed. In a loop nothing is doubled in every round."""
    added = small_words if looped else words
    flat = [
        st.tuples(scalars, values).map("=".join),
        st.tuples(scalars, plain if looped else values).map("+=".join),
        st.tuples(scalars, plain).map(lambda each: f': "${{{each[0]}:={each[1]}}}"'),
        st.lists(added, max_size=3).map(lambda each: f"F=({' '.join(each)})"),
        st.lists(added, max_size=3).map(lambda each: f"F+=(\n  {' '.join(each)}  # more\n)"),
        st.lists(words, max_size=3).map(lambda each: f'set -- {" ".join(each)}\nF+=("$@" $#)'),
        st.tuples(scalars, plain, expansions()).map(
            lambda each: f"printf -v {each[0]} '%s-%s' {each[1]} \"{each[2]}\""
        ),
        st.sampled_from(("K=$((K + 1))", "(( K += 2 ))", "unset 'F[0]'; F=(\"${F[@]}\")", "((K--)) || true")),
        st.lists(words, max_size=4).map(lambda each: f"vllm serve {' '.join(each)}"),
        st.tuples(scalars, blocks_of_words()).map(lambda each: f"{each[0]}=$(cat <<END\n{each[1]}\nEND\n)"),
    ]
    if depth == 0:
        return st.one_of(flat)
    inner = st.deferred(lambda: blocks(depth - 1, looped))
    rounds = st.deferred(lambda: blocks(depth - 1, True))
    nested = [
        st.tuples(conditions(), inner, inner).map(lambda each: "if {}; then\n{}\nelse\n{}\nfi".format(*each)),
        st.tuples(conditions(), inner).map(lambda each: "if {}; then\n{}\nfi".format(*each)),
        st.tuples(scalars, patterns, inner, patterns, inner).map(
            lambda each: "case ${} in\n {})\n{}\n;;\n ({}) {} ;;\n*) C=other;;\nesac".format(*each)
        ),
        st.tuples(st.lists(added, min_size=1, max_size=3).map(" ".join), rounds).map(
            lambda each: 'for each in {}; do\nF+=("$each")\n{}\ndone'.format(*each)
        ),
        st.tuples(conditions(), st.tuples(scalars, values).map("=".join)).map(" && ".join),
        inner.map(lambda each: f"(\n{each}\n)"),
        st.tuples(inner, words).map(lambda each: "f() {{ local A=$1 K=5\n{}\n}}\nf {}".format(*each)),
    ]
    return st.one_of(*flat, *nested)


def blocks_of_words() -> st.SearchStrategy[str]:
    return st.lists(st.one_of(plain, expansions(), numbers), min_size=1, max_size=3).map(" ".join)


@st.composite
def scripts(draw: st.DrawFn) -> str:
    first = [f"{name}={single(draw(texts))}" for name in "ABC"]
    first += [f"K={draw(st.integers(0, 4))}", f"F=({single(draw(texts))} {draw(plain)})"]
    body = draw(st.lists(statements(2), max_size=5))
    last = draw(st.lists(words, max_size=5))
    return "\n".join([*first, *body, f"vllm serve {' '.join(last)}"])


def started_by_bash(batch: list[str], folder: Path) -> list[list[list[str]]]:
    """For each script of ``batch`` the words of each start, as one bash runs them in the empty ``folder``."""
    text = "\n".join([RECORDER, *(SUBSHELL.format(script=script) for script in batch)])
    bash = shutil.which("bash")
    assert bash is not None
    done = subprocess.run(
        [bash, "-s"], input=text.encode(), capture_output=True, cwd=folder, env={"LC_ALL": "C.UTF-8"}, timeout=20
    )
    results = done.stdout.decode().split("\2\0")[:-1]
    assert len(results) == len(batch), done.stderr.decode()
    return [[start.split("\0")[:-1] for start in each.split("\1\0")[:-1]] for each in results]


@settings(
    max_examples=13,
    phases=(Phase.generate,),  # the script at fault is printed as it is: shrinking a whole batch takes minutes
    report_multiple_bugs=False,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(batch=st.lists(scripts(), min_size=SCRIPTS_PER_BASH, max_size=SCRIPTS_PER_BASH))
def test_known_values_give_known_words(batch: list[str], tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir(exist_ok=True)
    path = tmp_path / "start.sh"
    for script, started in zip(batch, started_by_bash(batch, empty), strict=True):
        path.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
        assert [each.argv for each in read(path) if each.when is None] == started, script
