#!/bin/bash
case "$MODE" in
  throughput) exec vllm serve Qwen/Qwen3.5-27B --port 9020 --max-num-seqs 256 ;;
  latency) exec vllm serve Qwen/Qwen3.5-27B --port 9020 --speculative-config '{"method":"mtp","num_speculative_tokens":3}' ;;
esac
