#!/bin/bash
k=3
eager=
while getopts "k:p:eh" opt; do
  case "$opt" in
    k) k=$OPTARG ;;
    p) port=$OPTARG ;;
    e) eager=--enforce-eager ;;
    *) echo "usage: $0 [-k tokens] [-p port] [-e]" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
vllm serve Qwen/Qwen3.6-35B-A3B-FP8 --port "${port:-8106}" $eager --speculative-config "{\"method\":\"mtp\",\"num_speculative_tokens\":$k}" "$@"
