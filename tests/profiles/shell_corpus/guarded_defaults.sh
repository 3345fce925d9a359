#!/bin/bash
# run: KESTREL_CTX=200000
if [ -z "$KESTREL_CTX" ]; then KESTREL_CTX=65536; fi
test -z "${KESTREL_SEATS}" && KESTREL_SEATS=8
[[ ${KESTREL_KV} ]] || KESTREL_KV=auto
vllm serve Qwen/Qwen3.6-27B --max-model-len "$KESTREL_CTX" --max-num-seqs $KESTREL_SEATS --kv-cache-dtype ${KESTREL_KV} --port 8251
