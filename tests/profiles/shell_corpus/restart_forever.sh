#!/bin/bash
while true; do
  vllm serve Qwen/Qwen3.6-27B --port 8133 --speculative-config '{"method":"mtp","num_speculative_tokens":2}' 2>&1 | tee -a engine.log
  echo "engine left with $?, again in 5 s"
  sleep 5
done
