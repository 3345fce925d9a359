#!/bin/bash
# conditional
args=(--port 8214)
if [ -f /etc/snipe/chat.jinja ]; then
  args+=(--chat-template /etc/snipe/chat.jinja)
fi
vllm serve Qwen/Qwen3.5-9B "${args[@]}"
