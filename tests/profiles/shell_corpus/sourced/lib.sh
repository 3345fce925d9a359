# shared by all launchers
common_flags=(--trust-remote-code --max-num-seqs "$SEATS")
start_engine() {
  local m="$1"; shift
  vllm serve "$m" "${common_flags[@]}" "$@" --speculative-config "$DRAFT"
}
