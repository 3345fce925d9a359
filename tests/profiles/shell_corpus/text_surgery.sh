#!/usr/bin/env bash
MODEL="Qwen/Qwen3.6-27B-FP8:main"
repo=${MODEL%%:*}
rev=${MODEL##*:}
name=${repo#*/}
name=${name,,}
name=${name//./-}
addr="0.0.0.0:8138"
vllm serve "$repo" --revision "$rev" --served-model-name "${name/-fp8/}" "${name^^}" "${name:0:5}" "${repo%/*}" --host "${addr%:*}" --port "${addr#*:}"
