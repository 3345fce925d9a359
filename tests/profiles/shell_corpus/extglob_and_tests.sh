#!/bin/bash
# run: PROFILE=prod-eu
shopt -s extglob nullglob
PROFILE=${PROFILE:-lab-1}
case $PROFILE in
  lab-+([0-9])) seats=2 ;;
  prod-@(eu|us)) seats=64 ;;
esac
if [[ -v PROFILE && -n ${seats:-} && ( $seats -gt 1 || $PROFILE == x ) ]]; then
  vllm serve Qwen/Qwen3.5-9B --port 8191 --max-num-seqs $seats
fi
