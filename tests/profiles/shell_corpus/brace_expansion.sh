#!/bin/bash
vllm serve Qwen/Qwen3.5-9B --port 8140 --cudagraph-capture-sizes {1,2,4} {8..16..4} --allowed-origins http://{a,b}.example --x-{1..2}{p,q} '{"keep":[1,2]}' {"method":"mtp"} {single}
