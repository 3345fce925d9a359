#!/bin/bash
export VLLM_CACHE_ROOT=/cache/a
VLLM_CACHE_ROOT=/cache/b VLLM_NO_USAGE_STATS=1 vllm serve Qwen/Qwen3.5-9B --port 8207
vllm serve Qwen/Qwen3.5-4B --port 8208
PLAIN=kept-inside; LATE=1; export LATE
vllm serve Qwen/Qwen3.5-0.8B --port 8209
