#!/bin/bash
PY=/opt/dove/bin/python3
$PY -u -m vllm.entrypoints.openai.api_server --model Qwen/Qwen3.5-9B --port 8195
"/opt/dove/bin/vllm" serve Qwen/Qwen3.5-9B --port 8196
VIRTUAL_ENV=/opt/dove exec -a qwen /opt/dove/bin/llama-server -hf unsloth/Qwen3.6-27B-GGUF:Q4_K_M --port 8197
