#!/bin/bash
S=qwen-box
tmux kill-session -t "$S" 2>/dev/null
tmux new-session -d -s "$S" "CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen3.6-27B --port 8159 -tp 2 2>&1 | tee vllm.log"
tmux ls
