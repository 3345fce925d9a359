#!/bin/bash
# wildcards: 1
SPEC=$(jq -nc --arg m mtp --argjson k 2 '{method: $m, num_speculative_tokens: $k}')
vllm serve Qwen/Qwen3.6-27B --port 8125 --speculative-config "$SPEC" --max-num-seqs 4
