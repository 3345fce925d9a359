#!/bin/bash
python3 - <<'PY'
import subprocess
subprocess.run(["vllm", "serve", "Qwen/in-python"])
PY
python -c 'print("vllm serve Qwen/in-a-word")'
python -m sglang.launch_server --model-path Qwen/Qwen3.5-9B --port 8250
