#!/bin/bash
cat > engine.env <<LIST
VLLM_LOGGING_LEVEL=INFO
# a comment
HF_HUB_OFFLINE=1
LIST
docker run --env-file engine.env --gpus all vllm/vllm-openai:v0.28.0 Qwen/Qwen3.5-9B --port=8227 --speculative-config={\"method\":\"mtp\",\"num_speculative_tokens\":2}
