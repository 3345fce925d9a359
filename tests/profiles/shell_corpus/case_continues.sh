#!/bin/bash
name=qwen3.6-35b-a3b-int4-mtp
flags=()
case $name in
  *-a3b-*) flags+=(--enable-expert-parallel) ;;&
  *-int4*) flags+=(--quantization auto_round) ;;&
  *-fp8*) flags+=(--quantization fp8) ;;&
  *mtp) flags+=(--speculative-config '{"method":"mtp","num_speculative_tokens":1}') ;;
  *) flags+=(--enforce-eager) ;;
esac
exec vllm serve /disk/$name ${flags[@]} --port 8115
