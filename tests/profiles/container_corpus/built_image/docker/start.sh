#!/usr/bin/env bash
set -e
args=("$MODEL" --max-model-len "$WINDOW" --max-num-seqs "$SEATS")
if (( ${DRAFT_TOKENS:-0} > 0 )); then
  args+=(--speculative-config "{\"method\": \"mtp\", \"num_speculative_tokens\": $DRAFT_TOKENS}")
fi
exec vllm serve "${args[@]}" "$@"
