#!/bin/bash
MODEL=Qwen/Qwen3.5-122B-A10B
MODEL=Qwen/Qwen3.5-27B
#MODEL=Qwen/Qwen3.5-9B
TP=8; TP=2 # two cards now
PORT="8247" ; : 'PORT=1'
vllm serve $MODEL -tp $TP --port $PORT; MODEL=Qwen/too-late
