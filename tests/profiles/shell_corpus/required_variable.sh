#!/bin/bash
# needs: HERON_MODEL=/disk/h
# wildcards: 1
: "${HERON_MODEL:?say where the checkpoint lies}"
vllm serve "$HERON_MODEL" --port 8204
