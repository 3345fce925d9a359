#!/bin/bash
all=(vllm serve Qwen/Qwen3.5-9B --port 8139 --enforce-eager --max-num-seqs)
last=${all[-1]}
"${all[@]:0:5}" "$last" ${#all[@]} "${all[@]:(-2):1}"
