#!/bin/bash
set -o pipefail
mkdir -p logs
PYTHONUNBUFFERED=1 stdbuf -oL -eL vllm serve Qwen/Qwen3.6-27B \
  --port 8146 \
  --speculative-config '{"method":"mtp","num_speculative_tokens":1}' \
  2>&1 | tee "logs/serve-$(date +%F).log"
