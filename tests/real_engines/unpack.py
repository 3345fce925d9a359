"""Unpacks the sources of engine releases, as the catalogue tool reads them.

python unpack.py FOLDER some|all     # FOLDER/sglang-0.5.23/sglang/…
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOME = {"sglang": ["0.5.9", "0.5.20", "0.5.23"], "vllm": []}
"""The releases that are always compared; vLLM 0.32.0 is installed and needs no sources."""


def main() -> int:
    sys.path.insert(0, str(ROOT / "tools"))
    from catalogue import wheels

    folder, which = Path(sys.argv[1]), sys.argv[2]
    for engine, some in SOME.items():
        data = ROOT / "pytest_qwen_mtp" / "engines" / "data" / f"{engine}.json"
        known = json.loads(data.read_text(encoding="utf-8"))["releases"]
        for version in known if which == "all" else some:
            try:
                print(wheels.sources(engine, version, folder))
            except wheels.NoWheel as error:
                print(error, file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
