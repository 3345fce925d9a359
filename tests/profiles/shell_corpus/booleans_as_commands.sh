#!/bin/bash
# run: USE_MTP=false
USE_MTP=${USE_MTP:-true}
VERBOSE=false
a=()
if $USE_MTP; then a+=(--speculative-config '{"method":"mtp","num_speculative_tokens":2}'); fi
$VERBOSE && a+=(--uvicorn-log-level debug)
vllm serve Qwen/Qwen3.6-27B "${a[@]}" --port 8216
