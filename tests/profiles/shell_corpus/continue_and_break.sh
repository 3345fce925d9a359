#!/bin/bash
for port in 8220 8221 8222 8223; do
  [ $port = 8220 ] && continue
  [ $port -ge 8223 ] && break
  vllm serve Qwen/Qwen3.5-4B --port $port
done
