#!/usr/bin/env bash
# run: AHEAD=4
set -euo pipefail
AHEAD=${AHEAD:-2}
mkdir -p run
cat > run/owl.yaml <<CONF
model: Qwen/Qwen3.6-27B-FP8
port: 8116
speculative-config: '{"method": "mtp", "num_speculative_tokens": $AHEAD}'
CONF
if [[ $AHEAD -gt 3 ]]; then
  exec vllm serve --config run/owl.yaml --max-num-seqs 2
fi
exec vllm serve --config run/owl.yaml
