#!/bin/sh
sh -c 'exec vllm serve "$1" --port "$2" $3' launcher Qwen/Qwen3.6-27B 8167 "--max-num-seqs 4"
bash -c 'vllm serve "$0" "$@"' Qwen/Qwen3.5-9B --port 8168 --served-model-name "two words"
