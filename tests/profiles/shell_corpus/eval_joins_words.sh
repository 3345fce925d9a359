#!/bin/sh
q=--max-model-len
eval exec vllm serve Qwen/Qwen3.5-9B "$q" 8192 '--port 8127'
