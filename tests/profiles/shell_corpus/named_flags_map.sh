#!/bin/bash
declare -A opt
opt[port]=8245
opt[max-num-seqs]=16
args=()
for key in port max-num-seqs missing; do
  [[ -n "${opt[$key]+set}" ]] && args+=("--$key" "${opt[$key]}")
done
vllm serve Qwen/Qwen3.5-9B "${args[@]}" --seed "${#opt[@]}"
