#!/bin/bash
PORT=8229
SEATS=4
tune() { local SEATS=64; LEN=8192; show; }
show() { ARGS="--max-num-seqs $SEATS --max-model-len $LEN"; }
tune
vllm serve Qwen/Qwen3.5-9B --port $PORT $ARGS --seed $SEATS
