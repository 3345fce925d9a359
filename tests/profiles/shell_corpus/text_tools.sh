#!/usr/bin/env bash
args="
  --model Qwen/Qwen3.6-27B-FP8
  --max-model-len 65536    # window
"
args=$(echo "$args" | sed 's/#.*//' | tr '\n' ' ')
eval "set -- $args"
name=$(basename "$2" -FP8)
owner=$(echo "$2" | cut -d/ -f1)
family=$(sed -E 's/^[A-Za-z]+([0-9.]+)-.*$/v\1/' <<< "$name")
tags=$(printf '%s\n' b a b | sort -u | paste -sd, -)
lines=$(printf 'one\n# two\nthree\n' | sed -e '/^#/d' -e '2s/e/E/g' | wc -l)
eval vllm serve "$@" --served-model-name "$name" "$owner" "$family" "$tags" --spec-tokens "$lines" \
  --speculative-config "'{\"method\":\"mtp\",\"num_speculative_tokens\":2}'"
