#!/bin/bash
# wildcards: 0-2
ROOT=$(dirname "$(readlink -f "$0")")
vllm serve "$ROOT/weights" --chat-template "${0%/*}/tool.jinja" --port 8228
