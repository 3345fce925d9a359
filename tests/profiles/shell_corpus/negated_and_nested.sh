#!/bin/bash
# run: MTP=0
MTP=${MTP:-1} CTX=${CTX:-32768}
a=(--max-model-len "$CTX")
if ! [ "$MTP" = 0 ]; then
  if [ "$CTX" -gt 131072 ]; then K=1; else K=3; fi
  a+=(--speculative-config "{\"method\":\"mtp\",\"num_speculative_tokens\":$K}")
fi
unless_set() { [[ -z ${!1:-} ]]; }
unless_set LAPWING_KV && a+=(--kv-cache-dtype auto)
vllm serve Qwen/Qwen3.6-27B "${a[@]}" --port 8215
