#!/bin/bash
printf -v spec '{"method": "%s", "num_speculative_tokens": %s}' mtp 2
printf -v port '%d%03d' 8 123
vllm serve Qwen/Qwen3.6-27B --port "$port" --speculative-config "$spec"
