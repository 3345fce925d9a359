#!/bin/bash
readonly MODEL="Qwen/Qwen3.6-27B"
declare -r PORT=8143
declare -a FLAGS=(--port "$PORT")
declare -i seats=4*4
typeset tp=2
main() {
  local -r len=32768
  local -a more=(--max-model-len $len)
  declare extra=--disable-log-requests
  exec vllm serve "${MODEL}" "${FLAGS[@]}" "${more[@]}" --max-num-seqs $seats -tp $tp $extra
}
main "$@"
