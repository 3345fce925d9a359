#!/bin/sh
# run: KESTREL_MTP=no
set -e
set -- --model-path Qwen/Qwen3.5-35B-A3B --host 127.0.0.1
set -- "$@" --port 30104 --served-model-name "kestrel a3b"
case ${KESTREL_MTP:-yes} in
  y|yes|1) set -- "$@" --speculative-algorithm NEXTN --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4 ;;
esac
exec python3 -m sglang.launch_server "$@"
