#!/bin/bash
vllm serve Qwen/Qwen3.6-27B --po\
rt 8180 --served-model-name a\ b "line one \
still one" 'kept \
apart' c\"d e\\f \$HOME "\$x \z"
