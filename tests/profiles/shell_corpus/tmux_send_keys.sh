#!/bin/bash
tmux new-session -d -s siskin
tmux send-keys -t siskin "vllm serve Qwen/Qwen3.5-35B-A3B --port 8160 --speculative-config '{\"method\":\"mtp\",\"num_speculative_tokens\":2}'" C-m
