#!/bin/bash
cfg='{"method":"mtp"'
cfg+=',"num_speculative_tokens":2'
cfg+='}'
p=82; p+=17
n=5; ((n+=2)); declare -i m=1; m+=1
vllm serve Qwen/Qwen3.6-27B --port $p --speculative-config "$cfg" --seed $n$m
