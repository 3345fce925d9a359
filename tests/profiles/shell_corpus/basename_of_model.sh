#!/bin/bash
# wildcards: 0-2
MODEL=Qwen/Qwen3.6-27B
SERVED="$(basename "$MODEL")"
LOWER=$(echo "$SERVED" | tr '[:upper:]' '[:lower:]')
vllm serve "$MODEL" --port 8184 --served-model-name "$SERVED" "$LOWER"
