#!/bin/bash
# default: none
# run: -- chat
# run: -- embed
chat() { exec vllm serve Qwen/Qwen3.6-27B --port 8202 --speculative-config '{"method":"mtp","num_speculative_tokens":2}'; }
embed() { exec vllm serve Qwen/Qwen3-Embedding-0.6B --runner pooling --port 8203; }
usage() { echo "usage: $0 chat|embed" >&2; exit 64; }
case "${1-}" in chat) chat;; embed) embed;; *) usage;; esac
