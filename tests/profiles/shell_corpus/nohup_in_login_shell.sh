#!/bin/bash
su - serving -c 'cd /srv/egret && nohup /srv/egret/venv/bin/python -m sglang.launch_server --model-path Qwen/Qwen3.5-9B --port 8249 > s.log 2>&1 &'
