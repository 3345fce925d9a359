#!/bin/bash
{
  echo "starting"
  port=8149
  vllm serve Qwen/Qwen3.6-27B --port $port
} >serve.log 2>&1
