#!/usr/bin/env bash
PORT=8000 K=2 MODEL=Qwen/Qwen3.6-27B-FP8
OPTS=$(getopt -o m:k:p:v --long model:,port:,verbose -n launcher -- "$@") || exit 1
eval set -- "$OPTS"
while true; do
  case "$1" in
    -m|--model) MODEL=$2; shift 2 ;;
    -k) K=$2; shift 2 ;;
    -p|--port) PORT=$2; shift 2 ;;
    -v|--verbose) shift ;;
    --) shift; break ;;
  esac
done
vllm serve "$MODEL" --port "$PORT" --spec-method mtp --spec-tokens "$K" "$@"
eval set -- "$(getopt -o m:v -l model:,port: -- rest -v --port=8001 -mQwen/Qwen3.5-9B "it's")"
vllm serve "$@"
