#!/bin/bash
vllm serve Qwen/Qwen3.5-9B --port 8190 --allowed-origins '*' --allowed-headers "*" --x [abc]? -k no-such-*.jinja
