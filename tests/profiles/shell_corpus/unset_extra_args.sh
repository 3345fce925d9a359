#!/bin/bash
# wildcards: 0-1
# The usual place for more flags; nothing in this file gives it.
vllm serve Qwen/Qwen3.5-9B --port 8145 $VLLM_EXTRA_ARGS
