#!/bin/bash
cat <<'CONF' >owl-literal.yaml
served-model-name: $NOT_EXPANDED
override-generation-config: '{"temperature": 0.6}'
CONF
vllm serve Qwen/Qwen3.5-9B --config "owl-literal.yaml" --port=8117
