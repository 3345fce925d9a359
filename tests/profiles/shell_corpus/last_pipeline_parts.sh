#!/bin/bash
# order: any
exec > >(tee -a all.log) 2>&1
set -x
vllm serve Qwen/Qwen3.5-9B --port 8211 |& grep -v DEBUG
! vllm serve Qwen/Qwen3.5-4B --port 8212 && true
