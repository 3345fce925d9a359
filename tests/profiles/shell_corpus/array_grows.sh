#!/bin/bash
set -eu
opts=(
  --host 0.0.0.0      # every interface
  --port 8102
  # --enforce-eager
  --tensor-parallel-size 2
)
opts+=(--max-num-seqs 16)
opts[${#opts[@]}]=--trust-remote-code
opts+=("--served-model-name" "magpie" 'magpie thinking')
vllm serve Qwen/Qwen3-Next-80B-A3B-Instruct "${opts[@]}" --speculative-config '{"method":"qwen3_next_mtp","num_speculative_tokens":2}'
