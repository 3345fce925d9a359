#!/bin/bash
set -e
if [ "$#" -eq 0 ]; then
  set -- vllm serve Qwen/Qwen3.6-27B --port 8130
fi
if [ "${1:0:1}" = '-' ]; then
  set -- vllm serve Qwen/Qwen3.6-27B "$@"
fi
exec "$@"
