#!/bin/bash
case "${1:-start}" in
  start) ;;
  stop) pkill -f "vllm serve"; exit 0 ;;
  *) echo "Usage: $0 {start|stop}"; exit 1 ;;
esac
if [ -n "${DRY:-}" ]; then
  echo "vllm serve Qwen/Qwen3.5-9B --port 8201"
  exit 0
fi
vllm serve Qwen/Qwen3.5-9B --port 8201
