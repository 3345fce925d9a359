#!/bin/bash
# wildcards: 0-3
MODELS=~/models
vllm serve "$MODELS/qwen" --download-dir ~/hub --chat-template "~/literal.jinja" --port 8141
