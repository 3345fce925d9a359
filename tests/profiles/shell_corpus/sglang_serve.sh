#!/usr/bin/env bash
sglang serve --model-path "Qwen/Qwen3.6-27B" --port 8194 --speculative-algorithm=NEXTN --json-model-override-args "{\"rope_scaling\":{\"factor\":2.0}}"
