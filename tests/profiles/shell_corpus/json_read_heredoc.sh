#!/bin/bash
read -r -d '' SPEC <<'JSON'
{"method":"mtp","num_speculative_tokens":2}
JSON
vllm serve Qwen/Qwen3.6-27B --port 8120 --speculative-config "$SPEC"
