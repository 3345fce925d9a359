"""Where a change can be written and where it is only said: variables, anchors, other files, the environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import FLAG, GONE, KEY, NEW, VALUE, entry, fixed

from pytest_qwen_mtp.fix import Fixed

IMAGE = "    image: vllm/vllm-openai:v0.30.0\n"
HEAD = f"services:\n  qwen:\n{IMAGE}"


def one(path: Path, text: str, *entries: object) -> tuple[Fixed, str]:
    """The first server of the file, and the file's text as it would be."""
    path.write_text(text, encoding="utf-8")
    result = fixed(path, *entries)  # type: ignore[arg-type]
    return result.servers[0], result.texts.get(path, text)


def by_hand(server: Fixed) -> str:
    (change,) = server.changes
    assert change.by_hand is not None
    return change.by_hand


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("Qwen/Qwen3.6-27B --max-num-seqs ${SEQS:-64}", "the words come from the variable SEQS"),
        ("Qwen/Qwen3.6-27B --max-num-seqs ${SEQS-64} --port 1", "the words come from the variable SEQS"),
        ("Qwen/Qwen3.6-27B ${MORE:---max-num-seqs 64} --port 1", "the words come from the variable MORE"),
    ],
)
def test_a_default_of_a_variable_is_left(tmp_path: Path, command: str, why: str) -> None:
    text = f"{HEAD}    command: {command}\n"
    server, new = one(tmp_path / "compose.yaml", text, VALUE)
    assert new == text
    assert by_hand(server).startswith(why)
    assert "compose.yaml:4:" in by_hand(server)


def test_a_value_from_the_env_file_is_left(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SEQS=64\n", encoding="utf-8")
    text = f"{HEAD}    command: Qwen/Qwen3.6-27B --max-num-seqs $SEQS\n"
    server, new = one(tmp_path / "compose.yaml", text, VALUE)
    assert new == text
    assert (
        by_hand(server) == f"the words come from the variable SEQS ({tmp_path}/.env:1:1), which others may use as well"
    )
    assert (tmp_path / ".env").read_text(encoding="utf-8") == "SEQS=64\n"


def test_a_json_value_beside_a_variable_is_changed(tmp_path: Path) -> None:
    command = """'{"method":"mtp","num_speculative_tokens":3,"model":"${DRAFT:-x}"}'"""
    text = f"{HEAD}    command: [Qwen/Qwen3.6-27B, -sc, {command}]\n"
    server, new = one(tmp_path / "compose.yaml", text, KEY)
    assert server.changes[0].by_hand is None
    assert new == text.replace('tokens":3', 'tokens":1')


def test_a_default_in_a_script_is_left(tmp_path: Path) -> None:
    text = '#!/bin/bash\npip install vllm==0.30.0\nvllm serve Qwen/Qwen3.6-27B --max-num-seqs "${SEQS:-64}"\n'
    server, new = one(tmp_path / "serve.sh", text, VALUE)
    assert new == text
    assert "serve.sh:3:" in by_hand(server)


def test_new_words_go_around_what_a_variable_gives(tmp_path: Path) -> None:
    text = f"{HEAD}    command: Qwen/Qwen3.6-27B --port 1 --max-num-seqs ${{SEQS:-64}} $${{NOTHING}}\n"
    server, new = one(tmp_path / "compose.yaml", text, NEW)
    assert [each.by_hand for each in server.changes] == [None]
    assert new.replace(" --max-model-len 4096", "", 1) == text


def test_an_anchor_of_the_file_changes_both_servers_and_says_so(tmp_path: Path) -> None:
    both = "  other:\n    <<: *base\n    image: vllm/vllm-openai:v0.30.0\n"
    text = f"services:\n  qwen: &base\n{IMAGE}    command: [Qwen/Qwen3.6-27B, --max-num-seqs, '64']\n{both}"
    path = tmp_path / "compose.yaml"
    server, new = one(path, text, VALUE)
    assert new == text.replace("'64'", "'8'")
    assert server.changes[0].also == ("other",)
    assert fixed(path, VALUE).servers[1].changes == ()


def test_an_anchor_that_would_make_another_server_worse_is_left(tmp_path: Path) -> None:
    both = "  other:\n    <<: *base\n    environment: {WORSE: '1'}\n"
    text = f"services:\n  qwen: &base\n{IMAGE}    command: [Qwen/Qwen3.6-27B, --max-num-seqs, '64']\n{both}"
    worse = entry("vllm-worse", {"env.WORSE": "1", "max_num_seqs": 8}, {"set": {"max_num_seqs": 9}})
    path = tmp_path / "compose.yaml"
    path.write_text(text, encoding="utf-8")
    result = fixed(path, VALUE, worse)
    assert by_hand(result.servers[0]).startswith("the words at ")
    assert "qwen" not in result.texts.get(path, "") or "'8'" not in result.texts[path]


def test_words_of_a_file_that_was_not_named_are_left(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        f"services:\n  base:\n{IMAGE}    command: [Qwen/Qwen3.6-27B, --max-num-seqs, '64']\n", encoding="utf-8"
    )
    text = "services:\n  qwen:\n    extends: {file: base.yaml, service: base}\n"
    server, new = one(tmp_path / "compose.yaml", text, VALUE)
    assert new == text
    assert by_hand(server) == f"the words stand in {tmp_path}/base.yaml:4:50, which is another file"


def test_several_files_that_are_named_are_changed_where_the_words_stand(tmp_path: Path) -> None:
    base, more = tmp_path / "compose.yaml", tmp_path / "more.yaml"
    base.write_text(f"{HEAD}    command: [Qwen/Qwen3.6-27B]\n", encoding="utf-8")
    more.write_text("services:\n  qwen:\n    command: [Qwen/Qwen3.6-27B, --max-num-seqs, '64']\n", encoding="utf-8")
    result = fixed(base, VALUE, paths=(base, more))
    assert list(result.texts) == [more]
    assert result.texts[more].endswith("--max-num-seqs, '8']\n")


ENV = entry("vllm-env", {"not": {"env.VLLM_USE_V2_MODEL_RUNNER": "0"}}, {"set": {"env.VLLM_USE_V2_MODEL_RUNNER": "0"}})
COMMAND = "    command: [Qwen/Qwen3.6-27B]\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    environment:\n      A: 'x'\n", "    environment:\n      A: 'x'\n      VLLM_USE_V2_MODEL_RUNNER: \"0\"\n"),
        ("    environment:\n    - A=x\n", "    environment:\n    - A=x\n    - VLLM_USE_V2_MODEL_RUNNER=0\n"),
        (
            "    environment:\n      VLLM_USE_V2_MODEL_RUNNER: '1'\n",
            "    environment:\n      VLLM_USE_V2_MODEL_RUNNER: '0'\n",
        ),
        ("    environment: [VLLM_USE_V2_MODEL_RUNNER=1]\n", "    environment: [VLLM_USE_V2_MODEL_RUNNER=0]\n"),
    ],
    ids=["mapping", "list", "value", "flow"],
)
def test_a_variable_of_the_process(tmp_path: Path, before: str, after: str) -> None:
    _, new = one(tmp_path / "compose.yaml", HEAD + before + COMMAND, ENV)
    assert new == HEAD + after + COMMAND


def test_a_variable_of_a_service_that_has_none(tmp_path: Path) -> None:
    _, new = one(tmp_path / "compose.yaml", HEAD + COMMAND, ENV)
    assert new == HEAD + '    environment:\n      VLLM_USE_V2_MODEL_RUNNER: "0"\n' + COMMAND


def test_a_variable_that_the_caller_hands_through_is_left(tmp_path: Path) -> None:
    text = f"{HEAD}    environment: {{VLLM_USE_V2_MODEL_RUNNER: '${{RUNNER:-1}}'}}\n{COMMAND}"
    server, new = one(tmp_path / "compose.yaml", text, ENV)
    assert new == text
    assert by_hand(server)


UPGRADE = entry("vllm-old", {"enable_prefix_caching": True}, {"upgrade": "0.40.0"})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("compose.yaml", f"{HEAD}    command: [Qwen/Qwen3.6-27B, --enable-prefix-caching]\n"),
        ("compose.yaml", HEAD.replace("v0.30.0", "v0.30.0-cu129") + "    command: Qwen/x --enable-prefix-caching\n"),
        ("serve.sh", "#!/bin/sh\npip install -q vllm==0.30.0\nvllm serve Qwen/x --enable-prefix-caching\n"),
        ("serve.sh", "#!/bin/sh\ndocker run vllm/vllm-openai:v0.30.0 Qwen/x --enable-prefix-caching\n"),
    ],
    ids=["tag", "tag with a suffix", "pip", "docker run"],
)
def test_the_release_is_changed_where_it_is_pinned(tmp_path: Path, name: str, text: str) -> None:
    server, new = one(tmp_path / name, text, UPGRADE)
    assert [(each.by_hand, each.step.remeasure) for each in server.changes] == [(None, True)]
    assert new == text.replace("0.30.0", "0.40.0")


def test_a_release_that_is_only_stated_is_not_changed(tmp_path: Path) -> None:
    text = (
        "services:\n  qwen:\n    image: own/vllm:latest\n    x-qwen-mtp: {engine-version: 0.30.0}\n"
        "    command: [vllm, serve, Qwen/x, --enable-prefix-caching]\n"
    )
    server, new = one(tmp_path / "compose.yaml", text, UPGRADE)
    assert new == text
    assert by_hand(server) == "the release is known otherwise: x-qwen-mtp states engine-version 0.30.0"


NATIVE = """\
engine: vllm
version: "0.30.0"
model: Qwen/Qwen3.6-27B
args:
  enable-prefix-caching: true  # why
  max-num-seqs: 64
  kv-cache-dtype: fp8
  speculative-config:
    method: mtp
    num_speculative_tokens: 3
  tensor-parallel-size: 2
env:
  A: "1"
"""


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (FLAG, "caching: true", "caching: false"),
        (VALUE, "seqs: 64", "seqs: 8"),
        (GONE, "  kv-cache-dtype: fp8\n", ""),
        (KEY, "tokens: 3", "tokens: 1"),
        (NEW, "size: 2\n", "size: 2\n  max-model-len: 4096\n"),
    ],
    ids=["flag", "value", "gone", "key", "new"],
)
def test_our_own_small_yaml(tmp_path: Path, change: object, before: str, after: str) -> None:
    server, new = one(tmp_path / "server.mtp.yaml", NATIVE, change)
    assert [each.by_hand for each in server.changes] == [None]
    assert new == NATIVE.replace(before, after)
