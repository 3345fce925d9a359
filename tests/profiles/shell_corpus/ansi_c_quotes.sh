#!/bin/bash
sep=$'\x2c'
vllm serve Qwen/Qwen3.5-9B --port 8158 --served-model-name $'tab\there' $'quote\'s' "a${sep}b" $'\u00fc' --stop $'\n'
