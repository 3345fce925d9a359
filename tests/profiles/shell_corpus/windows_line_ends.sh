#!/bin/bash
MODEL=Qwen/Qwen3.5-9B
vllm serve $MODEL --port 8173 \
  --enforce-eager
