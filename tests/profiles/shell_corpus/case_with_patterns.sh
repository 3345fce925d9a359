#!/usr/bin/env bash
# run: -- sglang
# run: -- llama-small
case "${1:-vllm}" in
  vllm|v) vllm serve Qwen/Qwen3.6-27B-FP8 --port 8001 ;;
  sglang|s) python -m sglang.launch_server --model-path Qwen/Qwen3.6-27B-FP8 --port 8001 ;;
  llama*) llama-server -hf unsloth/Qwen3.6-27B-GGUF --port 8001 ;;
  *) exit 1 ;;
esac
