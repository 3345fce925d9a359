#!/bin/bash
sudo -H -u serving bash <<'INNER'
set -e
export VLLM_NO_USAGE_STATS=1
MODEL=Qwen/Qwen3.5-9B
exec vllm serve "$MODEL" --port 8236
INNER
