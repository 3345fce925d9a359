#!/bin/bash
# run: ROLE=decode
# run: ROLE=both
ROLE=${ROLE:-prefill}
start() {
  local kind=$1 port=$2
  local -a extra=()
  [[ $kind == decode ]] && extra=(--speculative-config '{"method":"mtp","num_speculative_tokens":2}')
  vllm serve Qwen/Qwen3.6-27B --port "$port" "${extra[@]}"
}
case $ROLE in
  prefill) start prefill 8243 ;;
  decode) start decode 8244 ;;
  both) start prefill 8243; start decode 8244 ;;
esac
