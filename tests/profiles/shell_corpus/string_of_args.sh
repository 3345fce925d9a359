#!/bin/sh
# run: THINK=off
ARGS="--port 8103"
ARGS="$ARGS --max-model-len 16384"
if [ "${THINK:-on}" = "on" ]; then
  ARGS="$ARGS --reasoning-parser qwen3"
fi
ARGS="$ARGS --kv-cache-dtype fp8   --max-num-seqs	8"
exec vllm serve Qwen/Qwen3.5-9B $ARGS
