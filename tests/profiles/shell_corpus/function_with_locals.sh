#!/bin/bash
serve() {
  local model=$1 port=$2
  shift 2
  vllm serve "$model" --port "$port" --gpu-memory-utilization 0.9 "$@"
}
model=unused
serve Qwen/Qwen3.6-27B 8108 --speculative-config '{"method":"mtp","num_speculative_tokens":2}'
