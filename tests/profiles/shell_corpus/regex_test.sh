#!/usr/bin/env bash
MODEL="Qwen/Qwen3-Next-80B-A3B-Thinking-FP8"
args=()
if [[ $MODEL =~ -A([0-9]+)B ]]; then
  args+=(--enable-expert-parallel)
fi
if [[ "$MODEL" == *-FP8 ]]; then args+=(--kv-cache-dtype fp8); fi
if [[ ! $MODEL =~ Thinking$ && $MODEL != *Instruct* ]]; then args+=(--reasoning-parser qwen3); fi
exec vllm serve "$MODEL" "${args[@]}" --port 8112 --speculative-config '{"method":"qwen3_next_mtp","num_speculative_tokens":2}'
