"""What took the place of an option that is gone, where the release before did not say so itself.

Most successors are in the catalogue: the old option sets the same attribute as the new one, or names it when it is
used. Here are the others, each with the place that shows it.
"""

from __future__ import annotations

from collections.abc import Mapping

SUCCESSORS: Mapping[str, Mapping[str, str]] = {
    "vllm": {
        # 0.11.0, engine/arg_utils.py, create_engine_config: the values are put into StructuredOutputsConfig.
        "--guided-decoding-backend": "--structured-outputs-config.backend",
        "--guided-decoding-disable-fallback": "--structured-outputs-config.disable_fallback",
        "--guided-decoding-disable-any-whitespace": "--structured-outputs-config.disable_any_whitespace",
        "--guided-decoding-disable-additional-properties": (
            "--structured-outputs-config.disable_additional_properties"
        ),
        # 0.11.0, engine/arg_utils.py, create_engine_config: the values are put into EPLBConfig.
        "--num-redundant-experts": "--eplb-config.num_redundant_experts",
        "--eplb-window-size": "--eplb-config.window_size",
        "--eplb-step-interval": "--eplb-config.step_interval",
        "--eplb-log-balancedness": "--eplb-config.log_balancedness",
        # 0.11.0, engine/arg_utils.py: AsyncEngineArgs names the option in its deprecation.
        "--disable-log-requests": "--no-enable-log-requests",
        # 0.11.0, engine/arg_utils.py, __post_init__ and add_cli_args: the deprecation names the option.
        "--enable-multimodal-encoder-data-parallel": "--mm-encoder-tp-mode=data",
        "--disable-mm-preprocessor-cache": "--mm-processor-cache-gb=0",
        "--override-pooler-config": "--pooler-config",
        "--cuda-graph-sizes": "--cudagraph-capture-sizes",
        # 0.12.0, config/model.py: the task is split into runner and convert.
        "--task": "--runner",
        # 0.30.0 and 0.31.0, config/cache.py: the same field, described in the same way.
        "--enable-mamba-fine-grained-prefix-cache": "--enable-mamba-shared-prefix-checkpoint",
    },
    "sglang": {
        # 0.5.3 and 0.5.4, server_args.py: the same choices and defaults.
        "--nsa-prefill": "--nsa-prefill-backend",
        "--nsa-decode": "--nsa-decode-backend",
        # 0.5.4.post1 and 0.5.4.post2, server_args.py: two letters were changed round.
        "--oltp-traces-endpoint": "--otlp-traces-endpoint",
        # 0.5.5 and 0.5.5.post1, server_args.py: described as the same path and format.
        "--kt-amx-weight-path": "--kt-weight-path",
        "--kt-amx-method": "--kt-method",
        # 0.5.3 and 0.5.3.post1, server_args.py.
        "--max-micro-batch-size": "--pp-max-micro-batch-size",
        # 0.5.3.post3, server_args.py: each of these says at its use what to write instead.
        "--enable-ep-moe": "--ep-size",
        "--enable-deepep-moe": "--moe-a2a-backend=deepep",
        "--enable-flashinfer-cutlass-moe": "--moe-runner-backend=flashinfer_cutlass",
        "--enable-flashinfer-cutedsl-moe": "--moe-runner-backend=flashinfer_cutedsl",
        "--enable-flashinfer-trtllm-moe": "--moe-runner-backend=flashinfer_trtllm",
        "--enable-flashinfer-mxfp4-moe": "--moe-runner-backend=flashinfer_mxfp4",
        "--enable-triton-kernel-moe": "--moe-runner-backend=triton_kernel",
        # 0.5.15.post1 and 0.5.16, server_args.py: the same numbers, described in the same way.
        "--enable-deepep-waterfill": "--enable-waterfill",
        "--optimistic-prefill-retries": "--optimistic-prefill-attempts",
    },
}
"""Engine → option that is gone → what to write now, a value behind ``=`` where the old option stood for one."""
