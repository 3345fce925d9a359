#!/bin/bash
k=2
echo 5 | read -r k
printf '%s\n' a b | while read -r each; do seen+=$each; done
vllm serve Qwen/Qwen3.6-27B --port 8230 --seed "$k" --served-model-name "x$seen"
