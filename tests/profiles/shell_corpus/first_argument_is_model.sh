#!/usr/bin/env bash
# run: -- /disk/q36
set -euo pipefail
model=Qwen/Qwen3.6-27B
if [ $# -gt 0 ]; then
  model=$1
  shift
fi
exec vllm serve "$model" --port 8105 --speculative-config.method mtp --speculative-config.num_speculative_tokens 1 "$@"
