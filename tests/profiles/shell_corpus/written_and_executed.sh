#!/bin/bash
cat > inner.sh <<'SH'
#!/bin/bash
exec vllm serve "$1" --port 8206 "${@:2}"
SH
chmod +x inner.sh
bash inner.sh Qwen/Qwen3.5-9B --max-num-seqs 3
