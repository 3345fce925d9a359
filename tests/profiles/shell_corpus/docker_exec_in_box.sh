#!/bin/bash
docker exec -d -e VLLM_LOGGING_LEVEL=DEBUG box vllm serve Qwen/Qwen3.5-9B --port 8224
