"""Asks the installed vLLM what it makes of command lines: one JSON list of words a line in, one verdict a line out.

A verdict is ``["starts" | "parse error" | "config error", detail]``: the release's own parser, what `vllm serve` checks
of its result, and the engine config that it builds of it. No engine is started and no weights are read.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import sys
import tempfile
from typing import Any

from vllm_parser import parser


def verdict(made: Any, words: list[str]) -> list[str]:
    from vllm.engine.arg_utils import AsyncEngineArgs  # type: ignore[import-not-found]
    from vllm.entrypoints.launchers.cli_args import validate_parsed_serve_args  # type: ignore[import-not-found]

    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            found = made.parse_args(words)
    except SystemExit as end:
        last = said.getvalue().strip().splitlines()[-1:]
        return ["starts", "help"] if end.code == 0 else ["parse error", " ".join(last)[:300]]
    except Exception as error:
        return ["parse error", f"{type(error).__name__}: {error}"[:300]]
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            # The defaults of the parser are objects that building a config changes.
            found = copy.deepcopy(found)
            if getattr(found, "model_tag", None) is not None:
                found.model = found.model_tag
            validate_parsed_serve_args(found)
            AsyncEngineArgs.from_cli_args(found).create_engine_config()
    except SystemExit:
        return ["config error", said.getvalue().strip()[-300:]]
    except Exception as error:
        return ["config error", f"{type(error).__name__}: {error}"[:300]]
    return ["starts", ""]


def main() -> None:
    os.environ.update(HF_HUB_OFFLINE="1", VLLM_NO_USAGE_STATS="1", VLLM_LOGGING_LEVEL="CRITICAL")
    os.chdir(tempfile.mkdtemp())
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the engine prints is no answer
    made = parser()
    before = dict(os.environ)
    for line in sys.stdin:
        print(json.dumps(verdict(made, json.loads(line))), file=answers, flush=True)
        os.environ.clear()
        os.environ.update(before)


if __name__ == "__main__":
    main()
