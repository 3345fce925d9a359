#!/bin/sh
TAG=server-cuda-b7300
exec docker run --rm --gpus all -v /disk/gguf:/models:ro -p 127.0.0.1:8155:8080 ghcr.io/ggml-org/llama.cpp:$TAG -m /models/qwen36-27b-q4_k_m.gguf -c 32768 -ngl 999 --host 0.0.0.0 --port 8080 --jinja
