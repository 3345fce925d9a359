"""What the image of a Dockerfile starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.dockerfile import DockerImage, read_dockerfile
from pytest_qwen_mtp.profiles.load import load
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given, SourceText

DEPLOYMENTS = Path(__file__).parent / "deployments"


def read(
    text: str, context: Path | None = None, args: dict[str, str] | None = None, target: str | None = None
) -> DockerImage:
    given = {name: Word(value, Place("compose.yaml", 5, 9)) for name, value in (args or {}).items()}
    return read_dockerfile(SourceText.of_file(text, "Dockerfile"), context, given, target)


def texts(words) -> list[str] | None:
    return None if words is None else [word.text for word in words]


def env(image: DockerImage) -> dict[str, str]:
    return {name: value.text for name, value in image.env.items()}


def test_build_argument_beats_the_default_and_copied_files_are_found():
    folder = DEPLOYMENTS / "05-tidepool"
    image = read((folder / "Dockerfile").read_text(), folder, {"ENGINE": "v0.27.1"})
    assert image.base.text == "vllm/vllm-openai:v0.27.1"
    assert texts(image.entrypoint) == ["/usr/local/bin/start-engine"]
    assert texts(image.command) == ["--port", "7440"]
    assert image.command[1].place == Place("Dockerfile", 14, 16)
    assert env(image)["WINDOW"] == "65536"
    assert image.mounts == {"/usr/local/bin/start-engine": folder / "start-engine.sh"}
    assert image.problems == ()


SPINDLE = """\
# syntax=docker/dockerfile:1
ARG CUDA=13.0.1
FROM nvidia/cuda:${CUDA}-devel AS wheels
RUN pip wheel --no-deps -w /wheels vllm==0.22.0

FROM nvidia/cuda:${CUDA}-runtime
RUN pip install --break-system-packages \\
      # the pin
      "vllm==0.26.0" \\

      hf-transfer
ENV WEIGHTS=/w/m WINDOW=98304
CMD vllm serve $WEIGHTS \\
    --port ${DOOR:-7790}
"""


def test_shell_form_keeps_the_place_of_every_character():
    image = read(SPINDLE)
    assert image.base.text == "nvidia/cuda:13.0.1-runtime"
    assert texts(image.command) == ["/bin/sh", "-c", "vllm serve $WEIGHTS     --port ${DOOR:-7790}"]
    text = image.command_text
    assert text.place(text.text.index("--port")) == Place("Dockerfile", 14, 5)
    assert text.place(text.text.index("$WEIGHTS")) == Place("Dockerfile", 13, 16)
    assert image.entrypoint is None


def test_pinned_release_of_the_last_stage():
    pin = read(SPINDLE).pip
    assert (pin.engine, pin.version, pin.evidence.place) == ("vllm", "0.26.0", Place("Dockerfile", 9, 7))
    assert read(SPINDLE, target="wheels").pip is None


@pytest.mark.parametrize(
    ("line", "engine", "version"),
    [
        ("RUN pip install vllm==0.26.0", "vllm", "0.26.0"),
        ("RUN uv pip install --system 'sglang[all]==0.5.12.post1'", "sglang", "0.5.12.post1"),
        ("RUN apt-get update && pip3 install -U 'vllm[audio]==0.27.1' && rm -rf /x", "vllm", "0.27.1"),
        ("ARG V=0.28.0\nRUN pip install vllm==${V}", "vllm", "0.28.0"),
        ("ENV V=0.28.0\nRUN pip install vllm==$V", "vllm", "0.28.0"),
        ("RUN pip install https://x.org/vllm-0.31.0%2Bcu129-cp38-abi3-manylinux1_x86_64.whl", "vllm", "0.31.0"),
        (
            "RUN pip install git+https://github.com/sgl-project/sglang.git@v0.5.13#subdirectory=python",
            "sglang",
            "0.5.13",
        ),
        ("RUN <<EOF\nset -e\npip install vllm==0.26.0\nEOF", "vllm", "0.26.0"),
        ("RUN pip install vllm", "vllm", None),
        ("RUN pip install 'vllm>=0.26'", "vllm", None),
        ("RUN pip install vllm==0.26.*", "vllm", None),
        ("RUN pip install git+https://github.com/vllm-project/vllm", "vllm", None),
        ("RUN pip install vllm==0.26.0\nRUN pip install -U vllm", "vllm", None),
        ("RUN pip install vllm==0.26.0+cu129", "vllm", "0.26.0"),
    ],
)
def test_what_run_lines_install(line, engine, version):
    pin = read(f"FROM python:3.12\n{line}\n").pip
    assert (pin.engine, pin.version) == (engine, version)


@pytest.mark.parametrize(
    ("line", "replaces"),
    [
        ("RUN pip install vllm==0.26.0", True),
        ("RUN pip install -U vllm", True),
        ("RUN uv pip install --upgrade --system vllm", True),
        ("RUN pip install 'vllm>=0.26'", True),
        ("RUN pip install vllm", False),
        ("RUN pip install 'vllm[audio]' --no-cache-dir", False),
    ],
)
def test_what_an_installation_does_to_a_release_that_is_there(line, replaces):
    assert read(f"FROM vllm/vllm-openai:v0.25.0\n{line}\n").pip.replaces is replaces


@pytest.mark.parametrize(
    "line",
    [
        "RUN pip download vllm==0.26.0",
        "RUN echo vllm==0.26.0",
        "RUN pip install vllm-router==1.0",
        "RUN pip uninstall -y x",
    ],
)
def test_what_run_lines_do_not_install(line):
    assert read(f"FROM python:3.12\n{line}\n").pip is None


def test_requirements_from_the_context(tmp_path):
    (tmp_path / "requirements.txt").write_text("# engines\nhttpx\nvllm==0.27.1 ; python_version > '3'\n")
    pin = read(
        "FROM python\nWORKDIR /app\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n", tmp_path
    ).pip
    assert (pin.version, pin.evidence.place.line) == ("0.27.1", 3)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("$A", "one"),
        ("${A}x", "onex"),
        ("${NONE:-two}", "two"),
        ("${NONE-two}", "two"),
        ("${EMPTY:-two}", "two"),
        ("${EMPTY-two}", ""),
        ("${A:+alt}", "alt"),
        ("${NONE:+alt}", ""),
        ("${NONE:-${A}}", "one"),
        ("\\$A", "$A"),
        ("'$A'", "$A"),
        ('"$A b"', "one b"),
        ("a\\ b", "a b"),
        ("$NONE", ""),
        ("${P#*/}", "b/c"),
        ("${P##*/}", "c"),
        ("${P%/*}", "a/b"),
        ("${P%%/*}", "a"),
        ("${P/\\//-}", "a-b/c"),
        ("${P//\\//-}", "a-b-c"),
        ("${P#$A}", "a/b/c"),
        ("${P/b/$A}", "a/one/c"),
        ("$", "$"),
        ("x$1y$@", "xy"),
        ("a\\", "a"),
    ],
)
def test_variables(value, expected):
    image = read(f"FROM x\nENV A=one EMPTY= P=a/b/c\nENV V={value}\n")
    assert env(image)["V"] == expected


def test_variables_of_one_line_see_the_ones_before_it():
    assert env(read("FROM x\nENV a=hello\nENV a=bye b=$a\n")) == {"a": "bye", "b": "hello"}


def test_old_form_of_env():
    assert env(read('FROM x\nENV A the "whole" rest\n')) == {"A": "the whole rest"}


def test_arguments_before_and_behind_from():
    text = "ARG V=1\nARG W=2\nFROM x:$V\nARG W\nARG X=3\nENV A=$V B=$W C=$X\n"
    image = read(text)
    assert image.base.text == "x:1"
    assert env(image) == {"A": "", "B": "2", "C": "3"}
    assert env(read(text, args={"W": "20", "X": "30", "V": "9"})) == {"A": "", "B": "20", "C": "30"}


def test_env_beats_arg():
    assert env(read("FROM x\nENV A=env\nARG A=arg\nENV B=$A\n"))["B"] == "env"


def test_references_say_who_gave_the_value():
    image = read("ARG TAG=v0.31.0\nFROM vllm/vllm-openai:${TAG}-${KIND:-cu129}${MISSING}\n")
    assert image.base.text == "vllm/vllm-openai:v0.31.0-cu129"
    assert [(each.name, each.given) for each in image.base.references] == [
        ("TAG", Given.FILE),
        ("KIND", Given.DEFAULT),
        ("MISSING", Given.UNSET),
    ]
    assert image.base.references[0].given_at == Place("Dockerfile", 1, 9)


def test_the_build_platform_is_unknown():
    image = read("FROM x:$TARGETARCH\n")
    assert [each.given for each in image.base.unresolved] == [Given.UNKNOWN]


STAGES = """\
FROM vllm/vllm-openai:v0.31.0 AS base
ENV A=1
ENTRYPOINT ["/one"]
CMD ["two"]
FROM base AS prod
ENV B=2
FROM prod AS Other
ENTRYPOINT ["/three"]
"""


def test_stages_build_on_each_other():
    prod = read(STAGES, target="prod")
    assert (prod.base.text, env(prod)) == ("vllm/vllm-openai:v0.31.0", {"A": "1", "B": "2"})
    assert (texts(prod.entrypoint), texts(prod.command)) == (["/one"], ["two"])


def test_an_entry_point_takes_the_command_from_below_away():
    other = read(STAGES)
    assert (texts(other.entrypoint), texts(other.command)) == (["/three"], [])
    assert texts(read('FROM x\nCMD ["a"]\nENTRYPOINT ["b"]\n').command) == ["a"]
    assert read("FROM x\n").command is None


def test_target_by_number_and_missing_target():
    assert texts(read(STAGES, target="0").entrypoint) == ["/one"]
    problem = read(STAGES, target="nope").problems[0]
    assert problem.kind == "invalid-dockerfile"
    assert "nope" in problem.message
    assert "base, prod, other" in problem.message


def test_shell_instruction():
    image = read('FROM x\nSHELL ["/bin/bash", "-o", "pipefail", "-c"]\nENTRYPOINT vllm serve m\n')
    assert texts(image.entrypoint) == ["/bin/bash", "-o", "pipefail", "-c", "vllm serve m"]


def test_escape_directive():
    image = read("# escape=`\nFROM x\nCMD vllm serve `\n  m\\n\n")
    assert image.command_text.text == "vllm serve   m\\n"


def test_exec_form_over_several_lines_with_escapes():
    image = read('FROM x\nCMD ["vllm", "serve", \\\n  "a\\"b", "\\u00e9"]\n')
    assert texts(image.command) == ["vllm", "serve", 'a"b', "é"]
    assert image.command[2].place == Place("Dockerfile", 3, 3)


def test_a_list_that_is_no_json_goes_to_the_shell_and_is_told():
    image = read("FROM x\nCMD ['vllm', 'serve']\n")
    assert texts(image.command)[:2] == ["/bin/sh", "-c"]
    (problem,) = image.problems
    assert (problem.kind, problem.place) == ("invalid-dockerfile", Place("Dockerfile", 2, 5))
    assert "double quotes" in problem.fix


def test_copied_folders_and_patterns(tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "a.yaml").write_text("a: 1")
    (tmp_path / "one.sh").write_text("")
    (tmp_path / "two.sh").write_text("")
    image = read(
        'FROM x\nWORKDIR /srv\nWORKDIR app\nCOPY --chmod=755 *.sh bin/\nCOPY conf /etc/x\nCOPY ["one.sh", "/y y/"]\n'
        "ADD https://x.org/z /z\nCOPY --from=elsewhere /q /q\nCOPY ../../one.sh ./up.sh\n",
        tmp_path,
    )
    assert image.workdir == "/srv/app"
    assert image.mounts == {
        "/srv/app/bin/one.sh": tmp_path / "one.sh",
        "/srv/app/bin/two.sh": tmp_path / "two.sh",
        "/etc/x": tmp_path / "conf",
        "/y y/one.sh": tmp_path / "one.sh",
        "/srv/app/up.sh": tmp_path / "one.sh",
    }


def test_copy_from_an_earlier_stage(tmp_path):
    (tmp_path / "run.sh").write_text("")
    image = read("FROM a AS b\nCOPY run.sh /opt/\nFROM c\nCOPY --from=b /opt/run.sh /run.sh\n", tmp_path)
    assert image.mounts == {"/run.sh": tmp_path / "run.sh"}


def test_here_documents():
    image = read(
        "FROM x\nENV P=9\nCOPY <<EOF /a.sh\nvllm serve m\\n --port $P \\$Q\nEOF\n"
        "COPY <<'EOF' <<-TWO /d/\nkeep $P\nEOF\n\t\ttabs\n\tTWO\n"
        'RUN cat <<\'EOF\' > /usr/bin/go\n#!/bin/sh\nexec "$@"\nEOF\nCMD ["go"]\n'
    )
    assert {path: text.text for path, text in image.written.items()} == {
        "/a.sh": "vllm serve mn --port 9 $Q\n",
        "/d/EOF": "keep $P\n",
        "/d/TWO": "tabs\n",
        "/usr/bin/go": '#!/bin/sh\nexec "$@"\n',
    }
    go = image.written["/usr/bin/go"]
    assert go.place(go.text.index("exec")) == Place("Dockerfile", 13, 1)
    assert texts(image.command) == ["go"]


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", Place("Dockerfile", 1, 1), "no FROM"),
        ("# only a comment\n", Place("Dockerfile", 1, 1), "no FROM"),
        ("FROM x\nvllm serve m\n", Place("Dockerfile", 2, 1), "'VLLM' is no Dockerfile instruction"),
        ("RUN x\nFROM y\n", Place("Dockerfile", 1, 1), "before the first FROM"),
        ("FROM x\nENV A=1 B\n", Place("Dockerfile", 2, 9), "expected NAME=value"),
        ("FROM\n", Place("Dockerfile", 1, 1), "FROM names no image"),
        ("FROM x\nCOPY a\n", Place("Dockerfile", 2, 1), "a source and a target"),
        ("FROM x\nENV A=${B\n", Place("Dockerfile", 2, 7), "'}' is missing"),
        ("FROM x\nENV A=${B=1}\n", Place("Dockerfile", 2, 7), "no form that the builder knows"),
        ("FROM x\nENV A=${B:?missing}\n", Place("Dockerfile", 2, 7), "B: missing"),
        ("FROM x\nWORKDIR 'a\n", Place("Dockerfile", 2, 9), "a single quote is opened"),
        ("FROM x\nCOPY <<EOF /a\nb\n", Place("Dockerfile", 2, 1), "the here-document EOF has no end"),
        ("FROM x\nSHELL bash\n", Place("Dockerfile", 2, 1), "expects a JSON list"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text, place, says):
    (problem,) = read(text).problems
    assert (problem.kind, problem.place) == ("invalid-dockerfile", place)
    assert says in problem.message


def test_a_here_document_of_the_shell_keeps_other_escapes():
    image = read('FROM x\nENV P=9\nRUN cat > /go <<EOF\nprintf "a\\n" $P \\$1 "\\\\"\nEOF\n')
    assert image.written["/go"].text == 'printf "a\\n" 9 $1 "\\"\n'


@pytest.mark.parametrize("line", ["RUN echo $((1<<2))", 'RUN echo "a <<EOF b"', "RUN cat <<<word", "RUN a=b<<c"])
def test_no_here_document_begins(line):
    image = read(f"FROM x\n{line}\nENV A=1\n")
    assert env(image) == {"A": "1"}
    assert image.problems == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("FROM x\nENV A=" + "${A:-" * 5000, "nest more than 50 deep"),
        ("FROM x\nENV A=" + "${A#" * 5000, "nest more than 50 deep"),
        (
            "FROM x\nENV A0=aaaaaaaaaa\n"
            + "".join(f"ENV A{i}=$A{i - 1}$A{i - 1}$A{i - 1}$A{i - 1}\n" for i in range(1, 9)),
            "more than 100,000 characters",
        ),
    ],
)
def test_variables_that_grow_without_measure(text, says):
    problems = read(text).problems
    assert says in problems[0].message


def test_a_pattern_that_could_match_forever_is_unknown():
    image = read(f"FROM x\nENV A={'a' * 90}\nENV B=${{A%%*a*a*a*a*a*b}}\n")
    assert [each.given for each in image.env["B"].unresolved] == [Given.UNKNOWN]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("cat <<'EOF' > /go", "/go"),
        ("cat >/go <<'EOF'", "/go"),
        ("mkdir -p /x && cat >> /x/go <<'EOF' && chmod +x /x/go", "/x/go"),
        ("tee /go <<'EOF' >/dev/null", "/go"),
        ("cat <<'EOF' | tee /go", "/go"),
        ("python3 - <<'EOF' > /go", None),
    ],
)
def test_files_that_a_run_line_writes(line, path):
    image = read(f"FROM x\nRUN {line}\ntext\nEOF\n")
    assert set(image.written) == ({path} if path else set())


def test_windows_line_ends():
    image = read("FROM x\r\nCMD vllm serve \\\r\n  m\r\n")
    assert image.command_text.text == "vllm serve   m"


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.text("FROMENVCMDRUN \\\n\"'$${}[]<<EOF#=:-/ab\t\r", max_size=30).map(lambda text: text), max_size=8
    ).map("\n".join)
)
def test_no_text_breaks_the_reader(text):
    for prefix in (
        "",
        "FROM x\n",
        "FROM x\nENV A=",
        "FROM x\nRUN pip install vllm==",
        "FROM x\nCMD [",
        "FROM x\nCOPY <<",
    ):
        read(prefix + text, DEPLOYMENTS)


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("RUN pip install vllm==0.26.0", "0.26.0"),
        ("RUN pip install -U vllm", None),
        ("RUN pip install 'vllm[audio]'", "0.25.0"),
        ("RUN pip install sglang==0.5.13", "0.25.0"),
    ],
)
def test_the_release_of_a_built_service(tmp_path, line, version):
    (tmp_path / "Dockerfile").write_text(f"FROM vllm/vllm-openai:v0.25.0\n{line}\n")
    (tmp_path / "compose.yaml").write_text("services: {a: {build: ., command: [m]}}\n")
    (profile,) = load([tmp_path / "compose.yaml"]).profiles
    assert profile.version == version
    assert profile.version_evidence.place.path == str(tmp_path / "Dockerfile")
