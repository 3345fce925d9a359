#!/bin/sh
set -e
if [ "${1#-}" != "$1" ]; then
  set -- vllm serve "$@"
fi
if [ "$HF_HUB_OFFLINE" = 1 ]; then
  export TRANSFORMERS_OFFLINE=1
fi
exec "$@"
