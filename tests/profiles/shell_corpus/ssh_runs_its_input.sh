#!/usr/bin/env bash
# order: any
HOST=${HOST:-gpu1}
ssh -t "$HOST" <<'REMOTE'
cd /srv/engine
tmux new-session -d -s engine "vllm serve Qwen/Qwen3.6-27B-FP8 --speculative-config '{\"method\":\"mtp\",\"num_speculative_tokens\":2}' --port 8190"
REMOTE
sshpass -p x ssh -p 2222 gpu2 bash -s -- 8191 <<'REMOTE'
vllm serve Qwen/Qwen3.5-9B --port "$1" </dev/null
REMOTE
ssh gpu3 vllm serve Qwen/Qwen3.5-4B --served-model-name "'two words'" --spec '{"a":1}'
