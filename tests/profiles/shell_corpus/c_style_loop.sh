#!/bin/bash
# order: any
models=(Qwen/Qwen3.5-4B Qwen/Qwen3.5-9B)
for ((i = 0; i < ${#models[@]}; i++)); do
  CUDA_VISIBLE_DEVICES=$i nohup vllm serve "${models[$i]}" --port $((8140 + i)) >"srv$i.log" 2>&1 </dev/null &
done
