#!/bin/bash
docker run --gpus=all -p8154:8154 --entrypoint /bin/bash vllm/vllm-openai:v0.30.0 -lc \
  'export VLLM_ATTENTION_BACKEND=FLASHINFER; k=2; vllm serve Qwen/Qwen3.6-27B --port 8154 --speculative-config "{\"method\":\"mtp\",\"num_speculative_tokens\":$k}"'
