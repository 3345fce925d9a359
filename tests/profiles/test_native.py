"""Our own ``*.mtp.yaml``: what it starts, what it states, and what is said about a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.load import LoadOptions
from pytest_qwen_mtp.profiles.load import load as load_any
from pytest_qwen_mtp.profiles.model import Loaded
from pytest_qwen_mtp.profiles.native import is_native, load_native
from pytest_qwen_mtp.schema import read_schema

FULL = """\
engine: vllm
version: 0.31.0
model: Qwen/Qwen3.6-27B-FP8
service: thinker
args:
  max-model-len: 131072
  served-model-name: [pear, quince]
  speculative-config: {method: mtp, num_speculative_tokens: 3}
  enable-auto-tool-choice: true
  enable-prefix-caching: false
  -tp: 2
env:
  HF_TOKEN:
  HF_HOME: /hub
  VLLM_USE_DEEP_GEMM: 0
gpu: rtx-3090
platform: cuda
expect:
  acceptance-floor: 0.6
  window: 131072
  k: 3
  method: mtp
  decode-floor: 35.5
  tolerance: 0.05
"""


def load(folder: Path, text: str) -> Loaded:
    path = folder / "server.mtp.yaml"
    path.write_text(text)
    return load_native(path)


def argv(loaded: Loaded, index: int = 0) -> list[str]:
    return loaded.profiles[index].commands[0].argv


def test_one_server(tmp_path):
    loaded = load(tmp_path, FULL)
    (profile,) = loaded.profiles
    assert loaded.problems == ()
    assert argv(loaded) == [
        *("vllm", "serve", "Qwen/Qwen3.6-27B-FP8", "--max-model-len", "131072"),
        *("--served-model-name", "pear", "quince"),
        *("--speculative-config", '{"method": "mtp", "num_speculative_tokens": 3}'),
        *("--enable-auto-tool-choice", "--no-enable-prefix-caching", "-tp", "2"),
    ]
    assert (profile.service, profile.engine, profile.version, profile.image) == ("thinker", "vllm", "0.31.0", None)
    assert {name: value and value.text for name, value in profile.env.items()} == {
        "HF_TOKEN": None,
        "HF_HOME": "/hub",
        "VLLM_USE_DEEP_GEMM": "0",
    }
    assert profile.stated == {
        "gpu": "rtx-3090",
        "platform": "cuda",
        "expect": {
            "acceptance-floor": 0.6,
            "window": 131072,
            "k": 3,
            "method": "mtp",
            "decode-floor": 35.5,
            "tolerance": {"acceptance": 0.05, "decode": 0.05, "prefill": 0.05, "ttft": 0.05},
        },
    }


def test_every_word_has_its_place(tmp_path):
    path = str(tmp_path / "server.mtp.yaml")
    words = load(tmp_path, FULL).profiles[0].commands[0].words
    places = {word.text: word.place for word in words}
    assert places["vllm"] == Place(path, 1, 9)
    assert places["Qwen/Qwen3.6-27B-FP8"] == Place(path, 3, 8)
    assert places["--max-model-len"] == Place(path, 6, 3)
    assert places["131072"] == Place(path, 6, 18)
    assert places["quince"] == Place(path, 7, 29)
    assert places['{"method": "mtp", "num_speculative_tokens": 3}'] == Place(path, 8, 23)
    assert load(tmp_path, FULL).profiles[0].version_evidence.place == Place(path, 2, 10)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("engine: sglang\nmodel: m\nargs: {tp-size: 2, disable-radix-cache: true, x: false}",
         ["python3", "-m", "sglang.launch_server", "--model-path", "m", "--tp-size", "2", "--disable-radix-cache"]),
        ("engine: llamacpp\nversion: b11434\nmodel: /m.gguf\nargs: [-c, 65536, '--jinja']",
         ["llama-server", "-m", "/m.gguf", "-c", "65536", "--jinja"]),
        ("engine: vllm\nargs: ['--speculative-config', '{\"method\":\"mtp\"}', on, 1_000, 0.90]",
         ["vllm", "serve", "--speculative-config", '{"method":"mtp"}', "on", "1_000", "0.90"]),
    ],
)  # fmt: skip
def test_words_of_each_engine(tmp_path, text, expected):
    loaded = load(tmp_path, text)
    assert loaded.problems == ()
    assert argv(loaded) == expected


def test_build_number_of_llamacpp(tmp_path):
    assert load(tmp_path, "engine: llamacpp\nversion: b11434\n").profiles[0].version == "11434"


def test_the_image_tells_engine_and_release(tmp_path):
    (profile,) = load(tmp_path, "image: vllm/vllm-openai:v0.28.0\nmodel: m\n").profiles
    assert (profile.engine, profile.version, profile.image.text) == ("vllm", "0.28.0", "vllm/vllm-openai:v0.28.0")
    (profile,) = load(tmp_path, "image: vllm/vllm-openai:latest\nmodel: m\nversion: 0.28.1\n").profiles
    assert profile.version == "0.28.1"
    (profile,) = load(tmp_path, "engine: vllm\nmodel: m\n").profiles
    assert profile.version is None
    assert "no version" in profile.version_evidence.text


def test_several_servers(tmp_path):
    loaded = load(
        tmp_path,
        "services:\n  a: {engine: vllm, model: m}\n  b:\n    engine: sglang\n    model: n\n"
        "    expect: {k: 2, tolerance: {decode: 0.1}}\n  c: {engine: nonsense}\n",
    )
    assert [(profile.service, profile.engine) for profile in loaded.profiles] == [("a", "vllm"), ("b", "sglang")]
    assert loaded.profiles[1].stated["expect"] == {"k": 2, "tolerance": {"decode": 0.1}}
    (problem,) = loaded.problems
    assert problem.place == Place(str(tmp_path / "server.mtp.yaml"), 7, 15)


def test_one_server_under_several_names(tmp_path):
    loaded = load(tmp_path, "engine: vllm\nmodel: m\nservice: [day, night]\n")
    assert [profile.service for profile in loaded.profiles] == ["day", "night"]
    assert load(tmp_path, "engine: vllm\n").profiles[0].service is None


def test_a_release_that_the_user_states_beats_the_file(tmp_path):
    path = tmp_path / "server.mtp.yaml"
    path.write_text("services: {a: {engine: vllm, version: 0.28.0}, b: {engine: vllm}}\n")
    loaded = load_native(path, {"a": "0.30.0", None: "0.31.0"})
    assert [profile.version for profile in loaded.profiles] == ["0.30.0", "0.31.0"]
    assert loaded.profiles[0].version_evidence.text == "--mtp-engine-version a=0.30.0"


def test_a_stated_release_reaches_our_own_format(tmp_path):
    (tmp_path / "a.mtp.yaml").write_text("engine: vllm\nmodel: m\n")
    (profile,) = load_any([tmp_path / "a.mtp.yaml"], LoadOptions(engine_versions={None: "0.31.0"})).profiles
    assert profile.version == "0.31.0"


WRONG = [
    ("engin: vllm\nimage: vllm/vllm-openai:v0.28.0", 1, 1, "engin: unknown field", "Write `engine`."),
    ("model: m", 1, 1, "engine: missing", "Add `engine:`."),
    ("engine: tgi", 1, 9, "expected vllm, sglang or llamacpp, found 'tgi'", "Name one of the three."),
    ("engine: vllm\nversion: latest", 2, 10, "version: expected a release such as 0.31.0, found 'latest'", "Write"),
    ("engine: llamacpp\nversion: 0.1.0", 2, 10, "expected a build number", "Write"),
    ("engine: vllm\nmodel: [a]", 2, 8, "model: expected text, found a list", "Write one value"),
    ("engine: vllm\nmodel:", 2, 7, "model: expected text, found nothing", "Write one value"),
    ("engine: vllm\nargs: --port '1", 2, 7, "args: ", "Close the quote"),
    ("engine: vllm\nargs: --port 1 > log", 2, 7, "args: a free operator ends the words", "between quotes"),
    ("engine: vllm\nargs:\n  - a\n  - [b]", 4, 5, "args[1]: expected text, found a list", "Write one value"),
    ("engine: vllm\nargs:\n  port:", 3, 8, "args.port: no value", "`true` for a switch"),
    ("engine: vllm\nargs:\n  port 8000: true", 3, 3, "no blank", "behind the colon"),
    ("engine: vllm\nenv: [A=1]", 2, 6, "env: expected NAME → value, found a list", "NAME: value"),
    ("engine: vllm\nenv: {A B: 1}", 2, 7, "'A B' is no name of a variable", "letters"),
    ("engine: vllm\nplatform: gpu", 2, 11, "expected one of cuda, rocm", "Name one"),
    ("engine: vllm\nexpect: 3", 2, 9, "expect: expected figure", "Give one of"),
    ("engine: vllm\nexpect:\n  acceptance-flor: 1", 3, 3, "unknown expectation", "Write `acceptance-floor`."),
    ("engine: vllm\nexpect:\n  acceptance-floor: 60", 3, 21, "a number from 0 to 1 (share", "Write a plain number."),
    ("engine: vllm\nexpect:\n  window: 128k", 3, 11, "a whole number from 1 on", "Write a plain number."),
    ("engine: vllm\nexpect:\n  k: 1.5", 3, 6, "a whole number from 0 on", "Write a plain number."),
    ("engine: vllm\nexpect:\n  k: true", 3, 6, "a whole number", "Write a plain number."),
    ("engine: vllm\nexpect:\n  method: 3", 3, 11, "the name of a speculative method", "as text"),
    ("engine: vllm\nexpect:\n  tolerance: {speed: 1}", 3, 15, "unknown figure", "Name one"),
    ("services: {}", 1, 11, "services: expected name → fields", "Name at least one server."),
    ("services:\n  a: vllm", 2, 6, "services.a: expected a mapping of fields, found 'vllm'", "Write its fields."),
    ("engine: vllm\nservices: {a: {engine: vllm}}", 1, 9, "engine: stands beside `services`", "Move it"),
    ("services:\n  a: {engine: vllm, service: b}", 2, 21, "services.a.service: unknown field", "Remove it"),
    ("- engine: vllm", 1, 1, "expected a mapping of fields, found a list", "Write `engine: vllm`"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "says", "fix"), WRONG)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, line, column, says, fix):
    (problem,) = load(tmp_path, text).problems
    assert problem.kind == "invalid-profile"
    assert problem.place == Place(str(tmp_path / "server.mtp.yaml"), line, column)
    assert says in problem.message
    assert fix in problem.fix


def test_a_wrong_field_does_not_take_the_server_away(tmp_path):
    loaded = load(tmp_path, "engine: vllm\nmodel: m\nexpect: {k: -1}\nodd: 1\nargs: {port: 1}\n")
    assert argv(loaded) == ["vllm", "serve", "m", "--port", "1"]
    assert len(loaded.problems) == 2


def test_broken_yaml_keeps_its_own_kind(tmp_path):
    assert [problem.kind for problem in load(tmp_path, "engine: vllm\n\tmodel: m\n").problems] == ["tab-in-indentation"]
    assert [problem.kind for problem in load(tmp_path, "").problems] == ["empty-file"]
    assert [problem.kind for problem in load(tmp_path, "engine: vllm\nengine: sglang\n").problems] == ["duplicate-key"]


def test_own_fields_and_second_documents(tmp_path):
    assert load(tmp_path, "engine: vllm\nx-note: anything\n").problems == ()
    (problem,) = load(tmp_path, "engine: vllm\n---\nengine: vllm\n").problems
    assert problem.place.line == 3


def test_is_native():
    assert is_native(Path("a/b.mtp.yaml"))
    assert is_native(Path("b.mtp.yml"))
    assert not is_native(Path("compose.yaml"))


SOUND = [
    FULL,
    "engine: sglang",
    "services: {a: {engine: vllm}, b: {image: x/vllm}}",
    "image: lmsysorg/sglang:dev\nargs: []",
]


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(read_schema("native-profile"))


@pytest.mark.parametrize("text", SOUND)
def test_schema_and_reader_accept_the_same(tmp_path, text):
    assert Draft202012Validator(read_schema("native-profile")).is_valid(yaml.safe_load(text))
    assert load(tmp_path, text).problems == ()


@pytest.mark.parametrize("text", [case[0] for case in WRONG if not {"version:", "--port"} & set(case[0].split())])
def test_schema_and_reader_refuse_the_same(text):
    """A version's form is judged by engine, and words in one string by their quotes: both are left to the reader."""
    assert not Draft202012Validator(read_schema("native-profile")).is_valid(yaml.safe_load(text))


KEYS = st.sampled_from(
    [
        "engine",
        "version",
        "model",
        "args",
        "env",
        "image",
        "service",
        "services",
        "expect",
        "gpu",
        "k",
        "window",
        "x",
        "",
    ]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(), st.sampled_from(["vllm", "mtp", "a b", ""])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_no_document_breaks_the_reader(tmp_path_factory, document):
    path = tmp_path_factory.mktemp("native") / "a.mtp.yaml"
    path.write_text(yaml.safe_dump({"engine": "vllm", **document}))
    for problem in load_native(path).problems:
        assert problem.place.line
        assert problem.message


def test_args_in_one_string_are_split_outside_quotes(tmp_path: Path) -> None:
    path = tmp_path / "a.mtp.yaml"
    path.write_text("engine: vllm\nmodel: m\nargs: >-\n  --port 1\n  --served-model-name 'a b'\n", encoding="utf-8")
    (profile,) = load_native(path).profiles
    words = profile.commands[0].words
    assert [word.text for word in words[3:]] == ["--port", "1", "--served-model-name", "a b"]
    assert (words[5].place.line, words[5].place.column) == (5, 3)
