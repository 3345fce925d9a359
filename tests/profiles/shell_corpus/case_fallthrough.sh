#!/bin/bash
# run: LEVEL=1
# run: LEVEL=3
LEVEL=${LEVEL:-2}
flags=()
case "$LEVEL" in
  3) flags+=(--enforce-eager) ;&
  2) flags+=(--no-enable-prefix-caching) ;&
  1) flags+=(--max-num-seqs 4) ;;
  [4-9]|1[0-9]) flags+=(--max-num-seqs 1) ;;
  *) exit 1 ;;
esac
vllm serve Qwen/Qwen3.6-27B "${flags[@]}" --port 8114
