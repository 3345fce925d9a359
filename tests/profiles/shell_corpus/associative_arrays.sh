#!/bin/bash
# run: SIZE=9b
declare -A repo=([4b]=Qwen/Qwen3.5-4B [9b]=Qwen/Qwen3.5-9B)
declare -A seats
seats["4b"]=64
seats[9b]=32
SIZE="${SIZE:-4b}"
case $SIZE in 4b|9b) ;; *) echo "4b or 9b, please" >&2; exit 2 ;; esac
vllm serve "${repo[$SIZE]}" --max-num-seqs "${seats[${SIZE}]}" --port 8135
