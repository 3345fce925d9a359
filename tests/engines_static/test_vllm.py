"""vLLM's spellings, each as its own parser reads it (vLLM 0.32.0)."""

from __future__ import annotations

from typing import Any

import pytest
from settings_of import kinds, settings, value

from pytest_qwen_mtp.engines.model import UNKNOWN, Origin
from pytest_qwen_mtp.engines.settings import speculation
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.text import SourceText

MTP3 = {"method": "mtp", "k": 3}


@pytest.mark.parametrize(
    ("words", "name", "expected"),
    [
        ("--max-model-len 128k", "max_model_len", 128_000),
        ("--max-model-len 1M", "max_model_len", 1_048_576),
        ("--max_model_len=auto", "max_model_len", -1),
        ("--max-num-batched-tokens 2.5k", "max_num_batched_tokens", 2500),
        ("-tp 2", "tensor_parallel_size", 2),
        ("-tp=4", "tensor_parallel_size", 4),
        ("-n2", "nnodes", 2),
        ("-O3", "optimization_level", 3),
        ("-O 1", "optimization_level", 1),
        ("-O=2", "optimization_level", 2),
        ("--enable-prefix-caching", "enable_prefix_caching", True),
        ("--no-enable-prefix-caching", "enable_prefix_caching", False),
        ("--enable-prefix-cachin", "enable_prefix_caching", True),
        ("--gpu-memory-util 0.42", "gpu_memory_utilization", 0.42),
        ("--device-memory-utilization 0.5", "gpu_memory_utilization", 0.5),
        ("--served-model-name a 'b c'", "served_model_name", ["a", "b c"]),
        ("--seed 1 --seed 2", "seed", 2),
        ("--middleware a --middleware b", "middleware", ["a", "b"]),
        ('--compilation-config \'{"cudagraph_mode": "PIECEWISE"}\'', "compilation.cudagraph_mode", "PIECEWISE"),
        ("-cc.cudagraph_mode=FULL", "compilation.cudagraph_mode", "FULL"),
        ("-cc.pass_config.fuse_norm_quant true", "compilation.pass_config.fuse_norm_quant", True),
        (
            "-cc.cudagraph_capture_sizes+ 1,2 -cc.cudagraph_capture_sizes+ 4",
            "compilation.cudagraph_capture_sizes",
            ["1", "2", "4"],
        ),
        ('--kv-transfer-config \'{"kv_connector": "X", "engine_id": "e"}\'', "kv_transfer.kv_connector", "X"),
        ("--kv-cache-dtype fp8", "kv_cache_dtype", "fp8"),
        ("--moe-backend Flashinfer-Cutlass", "moe_backend", "flashinfer_cutlass"),
        ("--max-lora-rank None", "max_lora_rank", UNKNOWN),
        ("--quantization None", "quantization", None),
        ("--stream-interval -1", "stream_interval", -1),
    ],
)
def test_a_spelling_gives_its_value(words: str, name: str, expected: Any) -> None:
    assert value(f"vllm serve org/model {words}", name) == expected


@pytest.mark.parametrize(
    "words",
    [
        """--speculative-config '{"method":"mtp","num_speculative_tokens":3}'""",
        """--speculative-config='{"method": "mtp", "num_speculative_tokens": 3}'""",
        """--speculative_config '{"method":"mtp","num-speculative-tokens":3}'""",
        """-sc '{"method":"mtp","num_speculative_tokens":3}'""",
        "--speculative-config.method mtp --speculative-config.num_speculative_tokens 3",
        "-sc.method=mtp -sc.num_speculative_tokens=3",
        "--spec-method mtp --spec-tokens 3",
        """--speculative-config '{"method":"mtp"}' --spec-tokens 3""",
        """--speculative-config '{"method":"ngram"}' -sc.method=mtp -sc.num_speculative_tokens=3""",
    ],
)
def test_every_way_to_ask_for_speculation(words: str) -> None:
    found = settings(f"vllm serve Qwen/Qwen3.6-27B-FP8 {words}")
    assert speculation(found) == MTP3
    assert found.known["speculative.method"].origin is Origin.GIVEN
    assert found.problems == ()


def test_a_dotted_key_stands_where_it_is_written() -> None:
    found = settings("vllm serve M -sc.method=mtp -sc.num_speculative_tokens 3")
    assert found.known["speculative.method"].place == Place("serve.sh", 1, 4)
    assert found.known["speculative.num_speculative_tokens"].place == Place("serve.sh", 1, 6)


def test_lost_quotes_leave_no_speculation_and_no_traceback() -> None:
    found = settings("vllm serve M --speculative-config '{method:mtp,num_speculative_tokens:3}'")
    assert speculation(found) is None
    assert found.value("speculative.method") is UNKNOWN
    assert [(each.kind, each.place.column) for each in found.problems] == [("invalid-speculative-config", 5)]
    assert "the double quotes are gone" in found.problems[0].message


def test_a_value_with_an_unresolved_variable_is_unknown_but_keeps_its_text() -> None:
    found = settings("vllm serve M --max-num-seqs '${SEATS}'")
    setting = found.known["max_num_seqs"]
    assert setting.value is UNKNOWN
    assert "SEATS is not known" in setting.source
    assert "${SEATS}" in setting.source
    assert found.problems == ()


def test_what_a_half_resolved_json_says_plainly_is_known() -> None:
    found = settings("""vllm serve M --speculative-config '{"method":"mtp","num_speculative_tokens":${K}}'""")
    assert found.value("speculative.method") == "mtp"
    assert found.value("speculative.num_speculative_tokens") is UNKNOWN
    assert speculation(found) is None
    assert "K is not known" in found.known["speculative.num_speculative_tokens"].source


def test_the_positional_model_and_the_option() -> None:
    assert value("vllm serve org/model --port 1", "model") == "org/model"
    assert value("vllm serve --port 1 --model org/model", "model") == "org/model"
    assert kinds("vllm serve --model ''") == ["empty-model"]
    assert kinds("vllm serve --port 8000") == ["empty-model"]
    assert value("vllm serve --port 8000", "model") == "Qwen/Qwen3-0.6B"


CHAT = """\
served-model-name: [fathom, deep]
tensor_parallel_size: 2
max-model-len: 4096
enable-prefix-caching: false
speculative-config:
  method: mtp
  num_speculative_tokens: 3
"""


def test_the_config_file_is_read_and_the_command_line_wins() -> None:
    files = FileView().with_written("/etc/chat.yaml", SourceText.of_file(CHAT, "chat.yaml"))
    found = settings("vllm serve org/model --config /etc/chat.yaml --max-model-len 8192", files=files)
    assert found.value("model") == "org/model"
    assert found.value("served_model_name") == ["fathom", "deep"]
    assert found.value("tensor_parallel_size") == 2
    assert found.value("enable_prefix_caching") is False
    assert found.value("max_model_len") == 8192
    assert speculation(found) == MTP3
    assert found.known["tensor_parallel_size"].place == Place("chat.yaml", 2, 23)
    assert found.problems == ()


def test_a_config_file_that_cannot_be_read_leaves_everything_open() -> None:
    found = settings("vllm serve org/model --config /etc/chat.yaml -tp 2")
    assert found.value("tensor_parallel_size") == 2
    assert found.value("enforce_eager") is UNKNOWN
    assert found.value("speculative.method") is UNKNOWN
    assert "/etc/chat.yaml could not be read" in found.known["speculative.method"].source
    assert speculation(found) is None


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 10)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize("text", ["- a\n", "a: [\n", "\tx: 1\n", "just text\n", BOMB, "a: &a [*a]\n"])
def test_a_broken_config_file_is_a_problem(text: str) -> None:
    files = FileView().with_written("/c.yaml", SourceText.of_file(text, "c.yaml"))
    (problem,) = settings("vllm serve org/model --config /c.yaml", files=files).problems
    assert problem.kind == "invalid-flag-value"
    assert problem.message.startswith("--config /c.yaml")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("--enable-prefix-cachng", "unknown-flag"),
        ("--enable", "unknown-flag"),  # could be several
        ("--max-num-partial-prefills 2", "removed-flag"),
        ("--max-model-len", "invalid-flag-value"),
        ("--max-model-len 1.5K", "invalid-flag-value"),
        ("--mamba-cache-mode all", "invalid-flag-value"),
        ("--enforce-eager=true", "invalid-flag-value"),
        ("--compilation-config '{\"cudagraph_mod\": 1}'", "invalid-flag-value"),
        ("stray", "unknown-flag"),
        ("--speculative-config '[1]'", "invalid-speculative-config"),
        ('--speculative-config \'{"method":"mtp","num_speculative_token":1}\'', "invalid-speculative-config"),
        ('--speculative-config \'{"method":"mtp","num_speculative_tokens":0}\'', "invalid-speculative-config"),
        ('--speculative-config \'{"method":"mtpx","num_speculative_tokens":1}\'', "unknown-spec-method"),
        ('--speculative-config \'{"method":"qwen3_5_mtp","num_speculative_tokens":1}\'', "deprecated-spec-method"),
        ("VLLM_USE_DEEP_GEMM=0", "env-after-command"),
        ("' '", "broken-line-continuation"),
    ],
)
def test_what_the_release_refuses_is_told(words: str, kind: str) -> None:
    assert kinds(f"vllm serve org/model {words}") == [kind]


def test_a_problem_names_what_was_meant() -> None:
    (problem,) = settings("vllm serve org/model --enable-prefix-cachng").problems
    assert problem.suggestion == "--enable-prefix-caching"
    assert problem.place == Place("serve.sh", 1, 4)


def test_a_flag_of_a_later_release_is_not_there_yet() -> None:
    (problem,) = settings("vllm serve org/model --use-replayssm", "0.26.0").problems
    assert problem.kind == "not-yet-flag"
    assert "there from 0.27.0" in problem.message


@pytest.mark.parametrize(
    ("version", "certain"),
    [("0.29.5", True), (None, False), ("0.40.0", False), ("0.1.0", False), ("nonsense", False)],
)
def test_a_flag_that_no_release_ever_had_is_told_of_every_release(version: str | None, certain: bool) -> None:
    (problem,) = settings("vllm serve org/model --no-such-flag 1 --mamba-cache-mode all", version).problems
    assert (problem.kind, problem.option, problem.certain) == ("unknown-flag", "--no-such-flag", certain)


@pytest.mark.parametrize(
    ("flag", "version", "expected"),
    [
        ("--swap-space 4", None, []),  # gone since 0.18.0, but nobody knows which release runs
        ("--swap-space 4", "0.17.2", []),  # 0.17.1 still has it
        ("--swap-space 4", "0.29.5", ["removed-flag"]),
        ("--swap-space 4", "0.40.0", ["removed-flag"]),
        ("--watchdog-config {}", "0.32.1", []),  # 0.33.0 has it
        ("--watchdog-config {}", "0.29.5", ["not-yet-flag"]),
        ("--watchdog-config {}", "0.40.0", []),
        ("--gpu-memory-util 0.9", None, []),
        ("--guided-decoding-back auto", None, []),  # an abbreviation of what older releases have
        ("--guided-decoding-backend auto", "0.29.5", ["renamed-flag"]),
    ],
)
def test_what_neighbouring_releases_say_of_one_that_was_not_read(
    flag: str, version: str | None, expected: list[str]
) -> None:
    assert kinds(f"vllm serve org/model {flag}", version) == expected
    assert value("vllm serve org/model --swap-space 4", "swap_space", version) == 4


@pytest.mark.parametrize(
    ("flag", "version", "new"),
    [
        ("--disable-log-requests", "0.17.0", "--no-enable-log-requests"),
        ("--guided-decoding-backend auto", "0.12.0", "--structured-outputs-config.backend"),
        ("--enable-multimodal-encoder-data-parallel", "0.13.0", "--mm-encoder-tp-mode=data"),
        ("--eplb-window-size 10", "0.33.0", "--eplb-config.window_size"),
    ],
)
def test_a_renamed_flag_names_its_successor(flag: str, version: str, new: str) -> None:
    (problem,) = settings(f"vllm serve org/model {flag}", version).problems
    assert (problem.kind, problem.suggestion, problem.certain) == ("renamed-flag", new, True)


@pytest.mark.parametrize(
    ("words", "version", "name", "expected"),
    [
        ("-O3", "0.10.2", "compilation.level", 3),
        ("-O 2", "0.11.2", "compilation.mode", 2),
        ("-O.cudagraph_mode=FULL", "0.11.2", "compilation.cudagraph_mode", "FULL"),
        ("-O.cudagraph_mode=FULL", "0.32.0", "compilation.cudagraph_mode", "FULL"),
        ("-O3", "0.12.0", "optimization_level", 3),
        ("--disable-prefix-caching", "0.33.0", "enable_prefix_caching", False),
        ("--no-enable-prefix-caching", "0.33.0", "enable_prefix_caching", False),
        ("--enable-cascade-attn", "0.33.0", "disable_cascade_attn", False),
    ],
)
def test_spellings_of_their_time(words: str, version: str, name: str, expected: Any) -> None:
    found = settings(f"vllm serve org/model {words}", version)
    assert (found.value(name), found.problems) == (expected, ())


def test_variables_that_the_release_does_not_read() -> None:
    env = {"VLLM_USE_V1": "1", "VLLM_USE_DEEP_GEMM": "0", "HF_HOME": "/hub", "VLLM_OUR_OWN_PORT": "8000"}
    (problem,) = settings("vllm serve org/model", "0.26.0", env=env).problems
    assert (problem.kind, problem.option) == ("ignored-env-var", "VLLM_USE_V1")
