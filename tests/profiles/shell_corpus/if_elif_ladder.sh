#!/bin/bash
# run: TIER=large
# run: TIER=small
# run: TIER=tiny
TIER=${TIER:-medium}
if [ "$TIER" = "large" ]; then
  MODEL=Qwen/Qwen3.5-397B-A17B; TP=8
elif [ "$TIER" == "medium" ]; then
  MODEL=Qwen/Qwen3.5-122B-A10B; TP=4
elif [ "$TIER" = small ]; then
  MODEL=Qwen/Qwen3.5-35B-A3B; TP=2
else
  MODEL=Qwen/Qwen3.5-4B
  TP=1
fi
vllm serve $MODEL -tp $TP --port 8111
