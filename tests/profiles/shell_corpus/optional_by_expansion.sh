#!/bin/sh
# run: TOKENS=1
# run: QUANT=fp8
TOKENS=${TOKENS:-0}
[ "$TOKENS" -eq 0 ] || SPEC="{\"method\":\"mtp\",\"num_speculative_tokens\":$TOKENS}"
exec vllm serve Qwen/Qwen3.6-27B ${SPEC:+--speculative-config "$SPEC"} ${QUANT:+"--quantization=$QUANT"} --port 8246
