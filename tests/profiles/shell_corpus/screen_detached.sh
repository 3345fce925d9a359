#!/bin/bash
screen -dmS linnet vllm serve Qwen/Qwen3.5-9B --port 8161
screen -S linnet-b -dm bash -c 'sleep 30; exec vllm serve Qwen/Qwen3.5-4B --port 8162'
screen -dmS linnet-c -L bash -lc 'exec vllm serve Qwen/Qwen3.5-2B --port 8163'
