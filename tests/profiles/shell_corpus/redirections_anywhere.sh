#!/bin/bash
exec 3>&1
2>err.log vllm >out.log serve Qwen/Qwen3.5-9B 1>&3 --port 8242 2>&1 <<<"y" --seed 2 3>&- 4</dev/null
