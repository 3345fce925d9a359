#!/bin/bash
GPUS=4
NODES=2
base=8000
(( port = base + 113 ))
world=$((GPUS * NODES))
seqs=$(( world > 4 ? 64 : 16 ))
let steps=world/4+1
((steps++))
python -m sglang.launch_server --model-path Qwen/Qwen3.5-397B-A17B --tp-size $world --port $port \
  --max-running-requests $seqs --speculative-algorithm EAGLE --speculative-num-steps $steps \
  --speculative-eagle-topk 1 --speculative-num-draft-tokens $((steps + 1)) --chunked-prefill-size $((2**13)) --mem-fraction-static 0.$((0x50))
