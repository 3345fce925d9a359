#!/bin/bash
SPEC=$(cat <<EOF
{"method": "mtp",
 "num_speculative_tokens": ${K:-3}}
EOF
)
vllm serve Qwen/Qwen3.6-27B --port 8119 --speculative-config "$SPEC"
