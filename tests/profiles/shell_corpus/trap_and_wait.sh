#!/bin/bash
set -m
cleanup() { kill "$SERVER_PID" 2>/dev/null || true; wait "$SERVER_PID" 2>/dev/null; }
trap cleanup EXIT INT TERM
llama-server -m /disk/qwen36-27b-q4.gguf --port 8131 -ngl 99 --jinja --spec-type draft-mtp --spec-draft-n-max 3 > server.log 2>&1 &
SERVER_PID=$!
for i in $(seq 1 60); do
  curl -sf "http://127.0.0.1:8131/health" >/dev/null && break
  sleep 2
done
wait "$SERVER_PID"
