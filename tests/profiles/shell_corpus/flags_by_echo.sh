#!/bin/bash
# run: EAGER=1
# wildcards: 0-1
vllm serve Qwen/Qwen3.5-9B --port 8185 $( [ "${EAGER:-0}" = 1 ] && echo --enforce-eager )
