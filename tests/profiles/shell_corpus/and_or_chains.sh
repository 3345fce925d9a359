#!/bin/bash
# run: MUTED=1
# run: FAST=y
FAST=${FAST:-n}
seats=8 && len=8192
[ "$FAST" = y ] && seats=2 len=4096
[ "$FAST" = n ] || true
[ -n "${MUTED:-}" ] && quiet="--disable-log-stats" || quiet=
mkdir -p out && vllm serve Qwen/Qwen3.5-9B --port 8151 --max-num-seqs $seats --max-model-len $len $quiet || echo failed
