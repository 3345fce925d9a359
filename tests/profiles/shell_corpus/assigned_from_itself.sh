#!/bin/bash
PORT=${PORT:=8218}
MODEL=${1:-Qwen/Qwen3.5-9B}
CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0}"
export CUDA_VISIBLE_DEVICES
vllm serve "$MODEL" --port $PORT --served-model-name "${MODEL##*/}" "${2:-second}" --seed ${#} ${3+"$3"}
