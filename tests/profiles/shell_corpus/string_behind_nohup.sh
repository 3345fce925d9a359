#!/bin/bash
run_it="vllm serve Qwen/Qwen3.5-9B --port 8225"
nohup sh -c "$run_it" > out.log 2>&1 < /dev/null &
disown
