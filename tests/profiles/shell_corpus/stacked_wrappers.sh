#!/bin/bash
sudo -u serving -E CUDA_VISIBLE_DEVICES=0 nice -n 5 numactl --cpunodebind=0 --membind=0 taskset -c 0-15 timeout 12h vllm serve Qwen/Qwen3.6-27B --port 8171
time nohup ionice -c 2 -n 0 chrt -f 50 llama-server -m /disk/q.gguf --port 8172 &
