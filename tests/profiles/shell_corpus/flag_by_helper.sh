#!/bin/bash
# run: TEAL_EAGER=true
# run: TEAL_KV=fp8
args=()
add_if() { [ -n "$2" ] && args+=("$1" "$2"); return 0; }
add_switch() { if [ "$2" = true ]; then args+=("$1"); fi; }
add_if --kv-cache-dtype "${TEAL_KV:-}"
add_if --max-model-len "${TEAL_LEN:-16384}"
add_switch --enforce-eager "${TEAL_EAGER:-false}"
vllm serve Qwen/Qwen3.5-9B --port 8200 "${args[@]}"
