#!/usr/bin/env bash
# wildcards: 0-1
set -eu
draft_json() {
  printf '{"method":"%s","num_speculative_tokens":%d}' mtp "$1"
}
vllm serve Qwen/Qwen3.6-27B-FP8 --port 8110 --speculative-config "$(draft_json 2)"
