#!/bin/bash
export VLLM_USE_V1=1 VLLM_LOGGING_LEVEL=INFO HF_HUB_OFFLINE=1
unset VLLM_USE_V1
export -n HF_HUB_OFFLINE
EXTRA="--enforce-eager"
unset -v EXTRA
NCCL_DEBUG=WARN
declare -x NCCL_P2P_DISABLE=1
vllm serve Qwen/Qwen3.5-9B $EXTRA --port 8142 ${HF_HUB_OFFLINE:+--load-format auto}
