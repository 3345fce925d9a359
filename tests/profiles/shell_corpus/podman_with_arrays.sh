#!/bin/bash
image=docker.io/vllm/vllm-openai:v0.31.0
[[ ${DUNLIN_GPU:-nvidia} == amd ]] && image=docker.io/rocm/vllm:v0.31.0
run=(podman run -d --replace --name dunlin --device nvidia.com/gpu=all --security-opt=label=disable)
run+=(-e "VLLM_CACHE_ROOT=/cache" -v cache:/cache:Z)
engine=(vllm serve Qwen/Qwen3.6-27B --port 8156)
"${run[@]}" --entrypoint '' "$image" "${engine[@]}"
