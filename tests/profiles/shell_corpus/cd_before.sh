#!/bin/bash
cd /srv/plover || exit 1
. venv/bin/activate 2>/dev/null || true
./venv/bin/vllm --version >/dev/null 2>&1
python -m vllm.entrypoints.openai.api_server --model ./weights/q36 --port 8150 --chat-template templates/tool.jinja
