#!/bin/bash
tee qwen.service >/dev/null <<UNIT
[Service]
ExecStart=/opt/venv/bin/vllm serve Qwen/in-a-unit --port 1
UNIT
systemctl enable --now qwen
vllm serve Qwen/Qwen3.5-9B --port 8237
