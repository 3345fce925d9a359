#!/bin/bash
# conditional
# run: @nvidia-smi=NVIDIA-H100-80GB
if nvidia-smi --query-gpu=name --format=csv,noheader | grep -q H100; then
  KV="--kv-cache-dtype fp8"
else
  KV=""
fi
vllm serve Qwen/Qwen3.6-27B --port 8181 $KV
