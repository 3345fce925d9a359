"""Asks the argument parser of an unpacked SGLang release what it accepts, without torch and without a GPU.

    python sglang_parser.py FOLDER            # FOLDER holds the package `sglang`; prints every option as JSON

SGLang's own code runs; what it imports are stand-ins. Only msgspec must be installed: from 0.5.20 on it says which
fields the options are made from.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import standins
from described import described


def parser(folder: Path) -> argparse.ArgumentParser:
    """The release's own parser, as `python -m sglang.launch_server` builds it."""
    sys.path.insert(0, str(folder))
    standins.install("sglang", "msgspec")
    from sglang.srt.server_args import ServerArgs  # type: ignore[import-not-found]

    made = argparse.ArgumentParser(prog="sglang")
    ServerArgs.add_cli_args(made)
    return made


if __name__ == "__main__":
    print(json.dumps(described(parser(Path(sys.argv[1])))))
