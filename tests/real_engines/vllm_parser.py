"""Asks vLLM's argument parser what `vllm serve` accepts: prints every option as JSON, on the last line.

    python vllm_parser.py              # the installed vLLM
    python vllm_parser.py FOLDER       # the unpacked sources of another release, in FOLDER/vllm

From unpacked sources the release's own Python code runs, with the installed torch, transformers and pydantic. Its
compiled parts and packages that it wants and that are not installed are stand-ins, and so is the platform: one that
is called cuda, as on the machines that serve.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import json
import sys
import types
from typing import Any

import standins
from described import described


class Platform:
    """Stands for an NVIDIA GPU in choices and defaults; every question whether it is this or that is answered no."""

    device_type = "cuda"
    device_name = "cuda"
    dispatch_key = "CUDA"
    simple_compile_backend = "inductor"

    def fp8_dtype(self) -> Any:
        import torch  # type: ignore[import-not-found]

        return torch.float8_e4m3fn

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return (lambda *args, **kwargs: False) if name.startswith("is_") else standins.StandIn(name)


class Finder(standins.Finder):
    """Stand-ins for what vLLM itself imports and nobody has installed; the platform is replaced once it is imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        top = name.partition(".")[0]
        if name == "vllm.platforms":
            return self._with_platform(name, path)
        if top == "vllm":
            return None
        if not isinstance(sys.modules.get(top), standins.Module):
            installed = name != top or importlib.machinery.PathFinder.find_spec(top) is not None
            if installed or not _asked_by("vllm"):
                return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def _with_platform(self, name: str, path: Any) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: types.ModuleType) -> None:
                run(module)
                module.current_platform = Platform()  # type: ignore[attr-defined]

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _asked_by(package: str) -> bool:
    """Whether the import that is going on stands in a module of ``package``."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None and str(frame.f_globals.get("__name__", "")).startswith(package)


def parser(folder: str | None = None) -> argparse.ArgumentParser:
    """The release's own parser, as `vllm serve` builds it."""
    if folder is not None:
        sys.path.insert(0, folder)
        sys.meta_path.insert(0, Finder(()))
    from vllm.entrypoints.cli.serve import ServeSubcommand  # type: ignore[import-not-found]

    try:
        from vllm.utils.argparse_utils import FlexibleArgumentParser  # type: ignore[import-not-found]
    except ImportError:  # up to 0.11.0
        from vllm.utils import FlexibleArgumentParser  # type: ignore[import-not-found]
    commands = FlexibleArgumentParser(prog="vllm").add_subparsers()
    made: argparse.ArgumentParser = ServeSubcommand().subparser_init(commands)
    return made


if __name__ == "__main__":
    print("\n" + json.dumps(described(parser(*sys.argv[1:]))))
