#!/bin/sh
set -e
case "$1" in
  -*) set -- vllm serve "$@" ;;
esac
exec "$@"
