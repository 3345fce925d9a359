#!/bin/bash
cd "$(dirname "$0")"
set -a
source ./engine.env
set +a
LATER=not-exported
exec vllm serve "$MODEL_ID" --port "$ENGINE_PORT" $ENGINE_FLAGS
