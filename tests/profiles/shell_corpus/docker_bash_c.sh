#!/bin/bash
IMG=lmsysorg/sglang:v0.5.23
sudo docker run --rm -it --gpus '"device=0,1"' --network=host -e SGLANG_ENABLE_SPEC_V2=1 "$IMG" \
  bash -c "pip install -q hf_transfer && \
    exec python3 -m sglang.launch_server --model-path Qwen/Qwen3-Next-80B-A3B-Instruct \
      --tp 2 --port 8153 --speculative-algorithm NEXTN --speculative-num-steps 3 \
      --speculative-eagle-topk 1 --speculative-num-draft-tokens 4"
