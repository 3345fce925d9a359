#!/bin/bash
# order: any
SPEC="--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4"
COMMON=(--model-path Qwen/Qwen3.5-35B-A3B --trust-remote-code)
SGLANG_VLM_CACHE_SIZE_MB=0 python3 -m sglang.launch_server "${COMMON[@]}" --disaggregation-mode prefill --port 8192 $SPEC & prefill=$!
python3 -m sglang.launch_server "${COMMON[@]}" --disaggregation-mode decode --port 8193 --base-gpu-id 1 $SPEC & decode=$!
wait $prefill $decode
