#!/bin/bash
a=("one two" three)
s="${a[*]}"
IFS=, ; joined="${a[*]}" ; unset IFS
vllm serve Qwen/Qwen3.5-9B --port 8189 --served-model-name "${a[@]}" --allowed-origins "pre ${a[@]} post" --stop "$s" "$joined" ${a[@]}
