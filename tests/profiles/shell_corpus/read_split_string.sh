#!/bin/bash
FLAGS="--max-num-seqs 4 --enforce-eager"
read -ra flags <<< "$FLAGS"
IFS=':' read -r host port <<< "0.0.0.0:8198"
vllm serve Qwen/Qwen3.5-9B --host "$host" --port "$port" "${flags[@]}"
