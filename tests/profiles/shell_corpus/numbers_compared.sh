#!/bin/bash
# run: CARDS=1
CARDS=${CARDS:-2}
f=(--tensor-parallel-size "$CARDS")
if [ "$CARDS" -ge 4 ] && [ "$CARDS" -le 8 ]; then f+=(--enable-expert-parallel)
elif ((CARDS == 1)); then f=(); fi
test "$CARDS" -gt 1 -a "$CARDS" -lt 4 && f+=(--disable-custom-all-reduce)
vllm serve Qwen/Qwen3.5-35B-A3B "${f[@]}" --port 8187
