#!/usr/bin/env bash
apptainer exec --nv --bind /scratch:/scratch vllm.sif vllm serve Qwen/Qwen3.6-27B-FP8 --port 8001 --spec-method mtp --spec-tokens 2
sg docker -c "docker run --rm --gpus all vllm/vllm-openai:v0.31.0 Qwen/Qwen3.5-9B --port 8002"
