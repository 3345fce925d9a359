#!/bin/bash
vllm serve Qwen/Qwen3.6-27B --port 8178 \ 
  --speculative-config '{"method":"mtp","num_speculative_tokens":2}'
