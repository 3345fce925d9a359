#!/bin/bash
bash -c "vllm serve Qwen/Qwen3.5-9B --port 8157 --speculative-config '{\"method\": \"mtp\", \"num_speculative_tokens\": 2}' --served-model-name \"it's mine\" 'and \"yours\"'"
