#!/usr/bin/env bash
# Two ways through one script: MTP is off, and with MTP=1 it is on, beside a prefix cache that vLLM 0.26.0 cannot keep right.
# What holds on one way only is possible, and the finding says on which.
set -euo pipefail

pip install --quiet vllm==0.26.0

MODEL=${MODEL:-Qwen/Qwen3.6-27B-FP8}
args=(--max-model-len "${WINDOW:-65536}" --enable-prefix-caching)
if [[ "${MTP:-0}" == 1 ]]; then
  args+=(--speculative-config '{"method":"mtp","num_speculative_tokens":1}')
fi
exec vllm serve "$MODEL" "${args[@]}" "$@"
