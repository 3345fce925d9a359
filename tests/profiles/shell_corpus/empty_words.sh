#!/bin/bash
EMPTY=""
NONE=()
vllm serve Qwen/Qwen3.5-9B --port 8188 $EMPTY "$EMPTY" "${NONE[@]}" "" '' x"$EMPTY"y --api-key=""
