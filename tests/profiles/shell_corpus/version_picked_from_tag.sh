#!/bin/bash
VERSION=${1:-0.31.0}
IMAGE="vllm/vllm-openai:v${VERSION#v}"
NAME="q$(( 40 + 2 ))"
docker rm -f "$NAME" 2>/dev/null
docker run -d --name="$NAME" --gpus all -p 8248:8000 -v /disk:/disk:ro --ulimit stack=67108864 "$IMAGE" /disk/q36 --speculative-config.method=mtp --speculative-config.num_speculative_tokens=2
