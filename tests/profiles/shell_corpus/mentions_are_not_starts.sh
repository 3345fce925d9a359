#!/bin/bash
# vllm serve Qwen/in-a-comment --port 1
echo "next: vllm serve Qwen/in-an-echo --port 2"
cat <<'HELP'
vllm serve Qwen/in-a-help-text --port 3
HELP
never_called() { vllm serve Qwen/in-a-function --port 4; }
if false; then vllm serve Qwen/in-a-dead-branch --port 5; fi
command -v vllm >/dev/null || exit 1
pgrep -f "vllm serve" >/dev/null && echo "something runs"
vllm serve Qwen/Qwen3.5-9B --port 8205
vllm bench serve --model Qwen/Qwen3.5-9B --port 8205
