#!/bin/sh
if true; then
	cat <<-CONF | tee nested.yaml >/dev/null
	max-model-len: 4096
	enforce-eager: true
	CONF
fi
vllm serve Qwen/Qwen3.5-4B --config nested.yaml --port 8118
