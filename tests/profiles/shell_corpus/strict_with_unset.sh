#!/bin/bash
# run: EXTRA_FLAGS=--enforce-eager
set -Eeuo pipefail
IFS=$'\n\t'
EXTRA_FLAGS=${EXTRA_FLAGS:-}
args=(serve Qwen/Qwen3.6-27B --port 8144)
[[ -n $EXTRA_FLAGS ]] && args+=($EXTRA_FLAGS)
[[ -z "${HUSH-}" ]] || args+=(--disable-log-stats)
vllm "${args[@]}"
