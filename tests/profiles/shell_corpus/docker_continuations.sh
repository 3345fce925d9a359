#!/usr/bin/env bash
docker stop starling >/dev/null 2>&1 || true
docker run -d --name starling \
  --gpus all --ipc=host --shm-size 16g \
  -p 8152:8000 \
  -v "$HOME/.cache/huggingface":/root/.cache/huggingface \
  -e VLLM_LOGGING_LEVEL=INFO \
  -e HF_TOKEN \
  --env VLLM_USE_DEEP_GEMM=0 \
  --restart unless-stopped \
  vllm/vllm-openai:v0.29.0 \
  --model Qwen/Qwen3.6-27B-FP8 \
  --speculative-config '{"method": "mtp", "num_speculative_tokens": 2}' \
  --max-model-len 65536   # as far as the card goes
