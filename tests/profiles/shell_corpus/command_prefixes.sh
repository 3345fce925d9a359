#!/bin/bash
command vllm serve Qwen/Qwen3.5-9B --port 8238
\vllm serve Qwen/Qwen3.5-4B --port 8239
"vllm" 'serve' Qwen/Qwen3.5-2B --port 8240
vl''lm serve Qwen/Qwen3.5-0.8B --port 8241
