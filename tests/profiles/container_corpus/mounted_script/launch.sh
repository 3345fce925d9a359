#!/bin/bash
set -eu
source /etc/gannet/engine.conf
exec vllm serve "$MODEL" --max-num-seqs "$SEATS" --max-model-len "${WINDOW}" "$@"
