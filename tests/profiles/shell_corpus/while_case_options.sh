#!/usr/bin/env bash
set -euo pipefail
PORT=8107
DRAFT=1
EXTRA=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --port) PORT="$2"; shift 2 ;;
    --port=*) PORT="${1#*=}"; shift ;;
    --no-draft) DRAFT=0; shift ;;
    --) shift; EXTRA+=("$@"); break ;;
    *) EXTRA+=("$1"); shift ;;
  esac
done
cmd=(vllm serve Qwen/Qwen3.5-27B --port "$PORT")
if (( DRAFT )); then
  cmd+=(--speculative-config '{"method": "mtp", "num_speculative_tokens": 4}')
fi
echo "+ ${cmd[*]}"
exec "${cmd[@]}" ${EXTRA[@]+"${EXTRA[@]}"}
