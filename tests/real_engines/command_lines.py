"""Command lines for `vllm serve`, made from the catalogue: valid ones, and ones with a fault of a known kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from pytest_qwen_mtp.engines.catalogue import Release
from pytest_qwen_mtp.engines.options import Computed, Key, Option

LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "needs another machine or another build": (
        "--attention-backend",
        "--cpu-offload-gb",
        "--data-parallel-backend",
        "--device-ids",
        "--distributed-executor-backend",
        "--enable-batch-sharded-sampling",
        "--enable-cumem-allocator",
        "--enable-dbo",
        "--enable-eplb",
        "--enable-sleep-mode",
        "--grpc",
        "--grpc-port",
        "--kda-prefill-backend",
        "--kv-cache-dtype",
        "--mamba-backend",
        "--mamba-ssu-algorithm",
        "--mm-processor-device",
        "--numa-bind",
        "--numa-bind-cpus",
        "--numa-bind-nodes",
        "--ray-workers-use-nsight",
        "--return-sampling-mask",
        "--enable-return-routed-experts",
        "--enable-trace-replay",
        "--use-replayssm",
        "--aux-output-config",
        "--attention-config",
        "--prefill-context-parallel-size",
        "--tensor-parallel-size",
        "--pipeline-parallel-size",
        "--gdn-prefill-backend",
        "--kda-decode-backend",
        "--offload-backend",
        "--kernel-config",
        "--ir-op-priority",
    ),
    "needs another model": (
        "--default-mm-loras",
        "--enable-expert-parallel",
        "--engram-config",
        "--hf-overrides",
        "--limit-mm-per-prompt",
        "--media-io-kwargs",
        "--mm-processor-kwargs",
        "--model-class-overrides",
        "--moe-backend",
        "--quantization",
        "--quantization-config",
        "--runner",
        "--convert",
        "--tokenizer-mode",
        "--spec-model",
        "--diffusion-config",
        "--enable-mamba-cache-stochastic-rounding",
        "--reasoning-config",
        "--enable-lora",
        "--model-impl",
        "--mamba-cache-dtype",
        "--mamba-ssm-cache-dtype",
        "--dtype",
        "--block-size",
        "--linear-backend",
        "--no-enable-chunked-prefill",
        "--enable-chunked-prefill",
    ),
    "needs a file, the network or a plug-in": (
        "--allowed-local-media-path",
        "--chat-template",
        "--code-revision",
        "--config",
        "--config-format",
        "--generation-config",
        "--hf-config-path",
        "--hf-token",
        "--load-format",
        "--log-config-file",
        "--logging-config",
        "--logits-processors",
        "--model",
        "--profiler-config",
        "--reasoning-parser",
        "--reasoning-parser-plugin",
        "--revision",
        "--scheduler-cls",
        "--tokenizer",
        "--tokenizer-revision",
        "--tool-parser-plugin",
        "--tool-server",
        "--worker-cls",
        "--worker-extension-cls",
        "--io-processor-plugin",
        "--otlp-traces-endpoint",
        "--kv-transfer-config",
        "--kv-events-config",
        "--ec-transfer-config",
        "--weight-transfer-config",
        "--middleware",
        "--additional-config",
        "--lora-modules",
        "--show-hidden-metrics-for-version",
        "--structured-outputs-config",
        "--watermark-config",
    ),
    "goes with other options only": (
        "--collect-detailed-traces",
        "--data-parallel-address",
        "--data-parallel-external-lb",
        "--data-parallel-hybrid-lb",
        "--data-parallel-multi-port-external-lb",
        "--data-parallel-rank",
        "--data-parallel-rpc-port",
        "--data-parallel-size",
        "--data-parallel-size-local",
        "--data-parallel-start-rank",
        "--decode-context-parallel-size",
        "--enable-elastic-ep",
        "--enable-fault-tolerance",
        "--eplb-config",
        "--headless",
        "--master-addr",
        "--master-port",
        "--nnodes",
        "--node-rank",
        "--per-request-spec-decode-metrics",
        "--max-num-batched-tokens",
        "--max-num-seqs",
        "--max-model-len",
        "--custom-histogram-buckets",
        "--spec-method",
        "--spec-tokens",
        "--override-generation-config",
        "--served-model-name",
        "--fault-tolerance-config",
        "--api-server-count",
        "--optimization-level",
        "--compilation-config",
    ),
}
"""Options with which more than the words decides whether the server starts, by the reason. Faults in them are tried."""
_OUT = {option for options in LEFT_OUT.values() for option in options}


def command_lines(release: Release, model: str) -> st.SearchStrategy[list[str]]:
    """Lists of words behind `vllm serve`."""
    plain = [each for each in release.options if _is_plain(each)]
    valid = st.sampled_from(plain).flatmap(_valid)
    fault = st.one_of(
        st.sampled_from([each for each in release.options if each.action != "help"]).map(_misspelt),
        st.sampled_from(plain).flatmap(_wrong_value),
        st.sampled_from(_gone(release)).map(lambda string: [string]),
        st.sampled_from(["--speculative-config", "-sc"]).flatmap(_broken_json),
        _wrong_keys(release),
        st.sampled_from([each for each in plain if each.takes_value]).map(lambda each: [each.strings[0]]),
        st.just(["stray"]),
    )
    speculation = _speculation()
    return st.builds(
        lambda options, spec, wrong: [model, *(word for part in (*options, spec, wrong) for word in part)],
        st.lists(valid, max_size=4, unique_by=lambda words: words[0].removeprefix("--no-")),
        st.one_of(st.just([]), speculation),
        st.one_of(st.just([]), fault),
    )


def _is_plain(option: Option) -> bool:
    if option.action == "help" or _OUT & set(option.strings + option.negatives) or option.keys:
        return False
    if not option.takes_value:
        return option.name not in ("enable_auto_tool_choice", "enable_log_outputs")
    return option.choices is not None or (option.nargs is None and _sample(option) is not None)


def _sample(option: Option) -> str | None:
    """A value that the release certainly takes: its own default; None where it has none."""
    default = None if isinstance(option.default, Computed) else option.default
    return None if default is None or isinstance(default, bool | list | dict) else str(default)


def _valid(option: Option) -> st.SearchStrategy[list[str]]:
    if not option.takes_value:
        return st.sampled_from([[string] for string in option.strings + option.negatives])
    if option.choices is not None:
        value = st.sampled_from(["None" if each is None else str(each) for each in option.choices])
    else:
        value = st.just(_sample(option) or "")
    spelling = st.sampled_from(option.strings)
    # One word with an equals sign, or two; dashes or underscores.
    joined = st.builds(lambda string, text: [f"{string}={text}"], spelling, value)
    apart = st.builds(lambda string, text: [_snake(string), text], spelling, value)
    return st.one_of(joined, apart, st.builds(lambda string, text: [string, text], spelling, value))


def _snake(string: str) -> str:
    return "--" + string[2:].replace("-", "_") if string.startswith("--") else string


def _speculation() -> st.SearchStrategy[list[str]]:
    method = st.sampled_from(["mtp", "qwen3_5_mtp", "ngram", "eagle", "nope", None])
    count = st.sampled_from([1, 2, 3, 0, -1, "2", "x", None])
    value = st.builds(
        lambda name, k: json.dumps(
            {a: b for a, b in (("method", name), ("num_speculative_tokens", k)) if b is not None}
        ),
        method,
        count,
    )
    whole = st.builds(lambda name, text: [name, text], st.sampled_from(["--speculative-config", "-sc"]), value)
    dotted = st.sampled_from(
        [["-sc.method=mtp", "-sc.num_speculative_tokens=2"], ["--spec-method", "mtp", "--spec-tokens", "2"]]
    )
    return st.one_of(whole, dotted)


def _misspelt(option: Option) -> list[str]:
    """A dash is dropped, or the last letter doubled."""
    string = option.strings[0]
    return [string[1:] if len(string) % 2 and string.startswith("--") else string + string[-1]]


def _wrong_value(option: Option) -> st.SearchStrategy[list[str]]:
    string = option.strings[0]
    if not option.takes_value:
        return st.just([f"{string}=true"])
    if option.choices is not None:
        return st.sampled_from([[string, "nope"], [f"{string}=", "x"]])
    if any(kind in option.type for kind in ("int", "float")):
        return st.sampled_from([[string, "many"], [string, "1.2.3"]])
    return st.just([string, "x", "y"])


def _gone(release: Release) -> list[str]:
    """Options of older releases."""
    ours = release.by_string
    old = {string for each in release.catalogue.any_release.values() for string in each.strings}
    return sorted(string for string in old if string not in ours and string.startswith("--"))


def _broken_json(string: str) -> st.SearchStrategy[list[str]]:
    whole = '{"method":"mtp","num_speculative_tokens":2}'
    broken = ["{method:mtp,num_speculative_tokens:2}", whole.replace('"', "'"), whole + "}", whole.replace(":2", ":")]
    cut = st.integers(1, len(whole) - 1).map(lambda end: whole[:end])
    return st.one_of(st.sampled_from(broken), cut).map(lambda text: [string, text])


def _wrong_keys(release: Release) -> st.SearchStrategy[list[str]]:
    """An unknown key, or a value of another kind, in a JSON option."""
    found: list[list[str]] = []
    for string in ("--speculative-config", "--compilation-config", "--pooler-config", "--structured-outputs-config"):
        option = release.by_string[string]
        start: dict[str, Any] = (
            {"method": "mtp", "num_speculative_tokens": 2} if string == "--speculative-config" else {}
        )
        for key in release.keys(option.keys or "").values():
            found.append([string, json.dumps({**start, key.name + "x": 1})])
            if _refusable(key):
                found.append([string, json.dumps({**start, key.name: "nope"})])
    return st.sampled_from(found)


def _refusable(key: Key) -> bool:
    """Whether a word is certainly no value of ``key``."""
    return key.choices is not None or not {"string", "any"} & set(key.types)
