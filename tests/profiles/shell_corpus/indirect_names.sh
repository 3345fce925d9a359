#!/bin/bash
PORT_chat=8136
PORT_embed=8137
role=chat
var="PORT_$role"
declare -n flags="flags_$role"
flags_chat=(--max-num-seqs 8)
vllm serve Qwen/Qwen3.6-27B --port "${!var}" "${flags[@]}"
