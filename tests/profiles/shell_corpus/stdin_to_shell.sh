#!/bin/bash
k=3
bash -s -- Qwen/Qwen3.5-9B <<EOF
vllm serve "\$1" --port 8210 --speculative-config '{"method":"mtp","num_speculative_tokens":$k}'
EOF
