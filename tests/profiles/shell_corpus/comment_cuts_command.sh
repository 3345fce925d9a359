#!/bin/bash
vllm serve Qwen/Qwen3.6-27B \
  --port 8176 \
  --max-num-seqs 4 \
  # --enforce-eager \
  --speculative-config '{"method":"mtp","num_speculative_tokens":2}' \
  --max-model-len 4096
