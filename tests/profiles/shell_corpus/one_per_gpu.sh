#!/usr/bin/env bash
# order: any
mkdir -p logs
for gpu in 0 1; do
  CUDA_VISIBLE_DEVICES=$gpu vllm serve Qwen/Qwen3.5-9B --port $((8132 + gpu)) --served-model-name "crow-$gpu" \
    > "logs/crow-$gpu.log" 2>&1 &
done
wait
