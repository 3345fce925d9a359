#!/usr/bin/env bash
# run: RAVEN_EAGER=1
set -euo pipefail
: "${RAVEN_PORT:=8101}"
RAVEN_CTX=${RAVEN_CTX-32768}
MODEL="${RAVEN_MODEL:-${RAVEN_HUB:-Qwen}/Qwen3.6-27B-FP8}"
exec vllm serve "$MODEL" --port "$RAVEN_PORT" --max-model-len "$RAVEN_CTX" \
  ${RAVEN_EAGER:+--enforce-eager} \
  ${RAVEN_REV+--revision "$RAVEN_REV"} \
  --speculative-config "{\"method\": \"mtp\", \"num_speculative_tokens\": ${RAVEN_K:-2}}"
