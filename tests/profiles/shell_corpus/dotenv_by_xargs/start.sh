#!/bin/bash
# wildcards: 0-2
cd "$(dirname "$0")"
export $(grep -v '^#' site.env | xargs)
vllm serve "$MODEL" --port "$PORT"
