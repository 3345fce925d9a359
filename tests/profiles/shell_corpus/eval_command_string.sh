#!/bin/bash
CMD="vllm serve Qwen/Qwen3.6-27B"
CMD+=" --port 8126"
CMD+=" --speculative-config '{\"method\":\"mtp\",\"num_speculative_tokens\":2}'"
echo "$CMD"
eval "$CMD"
