#!/bin/bash
k=2
m=qwen3_5_mtp
vllm serve Qwen/Qwen3.5-27B --speculative-config '{"method": "'"$m"'", "num_speculative_tokens": '$k'}' \
  --compilation-config='{"cudagraph_mode":"'FULL_AND_PIECEWISE'"}' \
  --override-generation-config "{\"temperature\":0.7,\"stop\":[\"\\n\"]}" --port 81"2"4
