#!/bin/bash
# A failed start is tried again with less.
if ! vllm serve Qwen/Qwen3.6-27B --port 8231 --max-model-len 262144; then
  vllm serve Qwen/Qwen3.6-27B --port 8231 --max-model-len 32768
fi
