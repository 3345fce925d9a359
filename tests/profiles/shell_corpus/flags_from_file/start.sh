#!/bin/bash
# wildcards: 0-4
here=$(dirname "${BASH_SOURCE[0]}")
flags=()
while IFS= read -r line; do
  [[ -z $line || $line == \#* ]] && continue
  flags+=("$line")
done < "$here/flags.txt"
vllm serve Qwen/Qwen3.5-9B "${flags[@]}" --revision "$(<"$here/revision")"
