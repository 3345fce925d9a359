#!/bin/bash
# wildcards: 1
NGPU=$(nvidia-smi -L | wc -l)
vllm serve Qwen/Qwen3.6-27B --port 8182 --tensor-parallel-size "$NGPU" --max-num-seqs 8
