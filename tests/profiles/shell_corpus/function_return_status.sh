#!/bin/bash
# run: WREN_MODE=throughput
wants_draft() {
  [[ "${WREN_MODE:-latency}" == latency ]] && return 0
  return 1
}
args=(--port 8109)
if wants_draft; then
  args+=(--speculative-config '{"method":"mtp","num_speculative_tokens":3}')
else
  args+=(--max-num-seqs 256)
fi
exec vllm serve Qwen/Qwen3.5-122B-A10B "${args[@]}"
