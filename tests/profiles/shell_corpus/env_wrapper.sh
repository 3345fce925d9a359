#!/bin/bash
export NCCL_DEBUG=INFO VLLM_USE_V1=0
env -u VLLM_USE_V1 VLLM_LOGGING_LEVEL=DEBUG CUDA_VISIBLE_DEVICES=3 vllm serve Qwen/Qwen3.5-9B --port 8169
env -i VLLM_PORT=9 vllm serve Qwen/Qwen3.5-4B --port 8170
