#!/bin/bash
# Für den Würfel im Büro – 模型服务
NAME="小雀-übung"
vllm serve /disk/模型/qwen3.6 --port 8175 --served-model-name "$NAME" "${NAME%-*}" "${NAME:1:1}" "${#NAME}"
