#!/bin/bash
# conditional
# run: @hostname=rack-b
case "$(hostname)" in
  rack-a*) tp=8 ;;
  rack-b*) tp=4 ;;
  *) tp=1 ;;
esac
vllm serve Qwen/Qwen3.5-122B-A10B -tp $tp --port 8213
