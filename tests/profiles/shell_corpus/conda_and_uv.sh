#!/bin/bash
conda run -n serving --no-capture-output vllm serve Qwen/Qwen3.5-9B --port 8164
uv run --with vllm==0.30.0 --python 3.12 vllm serve Qwen/Qwen3.5-9B --port 8165
uv run -- python -m sglang.launch_server --model-path Qwen/Qwen3.5-9B --port 8166
