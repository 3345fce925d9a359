#!/bin/bash
CMD="vllm serve Qwen/Qwen3.5-9B --port 8128 --speculative-config '{\"method\":\"mtp\"}'"
$CMD
