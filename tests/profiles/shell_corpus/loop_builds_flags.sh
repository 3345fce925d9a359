#!/bin/bash
flags=()
for kv in max-model-len=8192 max-num-seqs=4 enforce-eager; do
  if [[ $kv == *=* ]]; then
    flags+=("--${kv%%=*}" "${kv#*=}")
  else
    flags+=("--$kv")
  fi
done
i=0
while [ $i -lt 2 ]; do
  flags+=(--lora-modules "l$i=/disk/l$i")
  i=$((i+1))
done
vllm serve Qwen/Qwen3.5-9B --port 8219 "${flags[@]}"
