#!/bin/bash
export CUDA_VISIBLE_DEVICES=0
port=8147
(
  export CUDA_VISIBLE_DEVICES=1,2
  port=8148
  exec vllm serve Qwen/Qwen3.6-27B --port $port
)
vllm serve Qwen/Qwen3.5-4B --port $port
