#!/usr/bin/env bash
# order: any
coproc ENGINE { vllm serve Qwen/Qwen3.6-27B-FP8 --port 8001; }
wait
coproc vllm serve Qwen/Qwen3.5-9B --port 8002
wait
xargs -P2 -I {} vllm serve {} --port 8005 <<< "Qwen/Qwen3.5-2B"
printf '%s\n' Qwen/Qwen3.5-0.8B Qwen/Qwen3.5-4B | xargs -n 1 vllm serve --spec-method mtp --spec-tokens 1
