#!/bin/bash
run() { echo "+ $*" >&2; [ -n "${JAY_DRY:-}" ] ||  "$@"; }
log() { printf '[%s] %s\n' "$(date +%T)" "$*"; }
log "starting vllm serve"
run vllm serve Qwen/Qwen3.6-27B --port 8233 --served-model-name "jay one" --speculative-config '{"method":"mtp","num_speculative_tokens":2}'
