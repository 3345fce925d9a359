#!/bin/bash
mapfile -t flags <<'LIST'
--port
8199
--served-model-name
with a blank
LIST
vllm serve Qwen/Qwen3.5-9B "${flags[@]}"
