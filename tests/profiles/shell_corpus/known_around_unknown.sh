#!/usr/bin/env bash
# wildcards: 4
cards=$(nvidia-smi -L | grep -c GPU)
flags=$(cat <<END
--max-model-len 65536
--tensor-parallel-size ${cards}
--spec-method mtp
END
)
vllm serve Qwen/Qwen3.6-27B-FP8 $flags
bash -c "exec vllm serve Qwen/Qwen3.5-9B --tensor-parallel-size ${cards} --data-parallel-size=$(nproc) --port 8002"
eval "vllm serve Qwen/Qwen3.5-4B --tensor-parallel-size $cards --port 8003"
