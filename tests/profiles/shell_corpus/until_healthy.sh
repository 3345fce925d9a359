#!/bin/bash
nohup vllm serve Qwen/Qwen3.6-27B --port 8134 &>/dev/null &
until curl -s localhost:8134/v1/models; do sleep 3; done
echo ready
