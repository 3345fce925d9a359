#!/usr/bin/env bash
set -u
none=()
spec=(--speculative-config '{"method": "mtp", "num_speculative_tokens": 2}')
set -- "one word" two
vllm serve Qwen/Qwen3.6-27B-FP8 "${spec[@]+"${spec[@]}"}" ${spec[@]+"${spec[@]}"} ${none[@]+"${none[@]}"} \
  "${none[@]+"${none[@]}"}" --served-model-name ${@+"$@"} "${none[@]:-a b}" ${none[@]:-c d}
