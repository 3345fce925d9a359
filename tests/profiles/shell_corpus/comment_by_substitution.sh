#!/bin/bash
vllm serve Qwen/Qwen3.6-27B \
  --port 8177 `# public` \
  --max-num-seqs 4 $(: and few) \
  --max-model-len 4096
