#!/bin/bash
vllm serve Qwen/Qwen3.5-9B --port 8174