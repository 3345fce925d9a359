#!/bin/bash
# needs: -- /disk/m
# wildcards: 1
die() { echo "$*" >&2; exit 1; }
[[ $# -ge 1 ]] || die "usage: $0 MODEL"
vllm serve "$1" --port 8144
