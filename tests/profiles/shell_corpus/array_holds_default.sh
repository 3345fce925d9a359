#!/bin/bash
# run: GREBE_SPEC=off
# run: GREBE_SPEC=deep
set -u
declare -a spec=()
case "${GREBE_SPEC:-on}" in
  on)   k=2 ;;
  deep) k=5 ;;
  *)    k=0 ;;
esac
(( k > 0 )) && spec=(--speculative-config "$(printf '{"method":"mtp","num_speculative_tokens":%d}' "$k")")
exec vllm serve Qwen/Qwen3.5-27B "${spec[@]}" --port 8186
