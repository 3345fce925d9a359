#!/bin/sh
# wildcards: 0-1
name=`basename /disk/qwen36-27b-fp8`
vllm serve /disk/$name --served-model-name "$name" --port 8183 --seed `expr 40 + 2`
