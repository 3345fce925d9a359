"""The catalogue tool, on small packages made for it; nothing of them is ever imported."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

from catalogue import sglang, timeline, vllm  # noqa: E402
from catalogue.interpreter import Interpreter  # noqa: E402
from catalogue.source import Sources  # noqa: E402

VLLM = {
    "vllm/engine/arg_utils.py": """
import argparse
from vllm.config.cache import CacheConfig, Mode
def get_kwargs(cls): raise RuntimeError
class EngineArgs:
    @staticmethod
    def add_cli_args(parser):
        kwargs = get_kwargs(CacheConfig)
        group = parser.add_argument_group(title="x")
        group.add_argument("--cache-mode", "-cm", **kwargs["mode"])
        group.add_argument("--share", **{**kwargs["share"], "default": None})
        group.add_argument("--names", **kwargs["names"])
        group.add_argument("--max-model-len", **kwargs["max_model_len"])
        kwargs["limit"]["choices"].remove(3)
        group.add_argument("--limit", **kwargs["limit"])
        parser.add_argument("--quiet", action="store_true")
        return parser
# human_readable_int_or_auto is the type of max_model_len
""",
    "vllm/config/cache.py": """
from typing import Literal
from pydantic import Field
from vllm.config.utils import config
Inner = Literal["b", "a"]
Mode = Literal[Inner, "c"]
raise SystemExit("imported")
@config
class CacheConfig:
    mode: Mode = "a"
    share: bool = Field(default=True)
    names: list[str] | None = None
    max_model_len: int = Field(default=None, gt=0)
    limit: Literal[1, 2, 3] = 1
""",
    "vllm/entrypoints/openai/cli_args.py": """
from vllm.engine.arg_utils import EngineArgs
def make_arg_parser(parser):
    parser.add_argument("model_tag", type=str, nargs="?")
    return EngineArgs.add_cli_args(parser)
""",
    "vllm/entrypoints/cli/serve.py": """
from vllm.entrypoints.openai.cli_args import make_arg_parser
class ServeSubcommand(CLISubcommand):
    def subparser_init(self, subparsers):
        serve_parser = subparsers.add_parser("serve", help="h")
        serve_parser = make_arg_parser(serve_parser)
        serve_parser.add_argument("--grpc", action="store_true")
        return serve_parser
""",
    "vllm/config/speculative.py": """
from typing import Literal
MTPModelTypes = Literal["qwen_mtp", "mtp"]
SpeculativeMethod = Literal["ngram", MTPModelTypes]
class SpeculativeConfig:
    def hf_config_override(hf_config):
        if hf_config.model_type in ("qwen_a", "qwen_b"):
            hf_config.model_type = "qwen_mtp"
    def check(self):
        raise ValueError("deprecated and replaced with mtp.")
""",
    "vllm/envs.py": 'environment_variables = {"VLLM_A": lambda: 1}\n',
    "vllm/other.py": 'import os\nx = os.environ.get("VLLM_B", "0")\n',
}

SGLANG = {
    "sglang/srt/server_args.py": """
from typing import Optional, List, Literal
from sglang.srt.arg_groups.arg_utils import A, Arg, add_cli_args_from_dataclass
CHOICES = ["x", "y"]
CHOICES += ["z"]
class ServerArgs:
    model_path: A[str, Arg(help="h", aliases=["--model"])]
    tp_size: A[int, Arg(help="h", cli_name="--tensor-parallel-size", aliases=["--tp"])] = 1
    backend: A[Optional[str], Arg(help="h", choices=CHOICES)] = None
    sizes: A[Optional[List[int]], "h"] = None
    fast: A[bool, "h"] = False
    hidden: A[int, Arg(no_cli=True)] = 1
    plain: int = 3
    @staticmethod
    def add_cli_args(parser):
        add_cli_args_from_dataclass(parser, ServerArgs)
        parser.add_argument("--old-fast", action=DeprecatedStoreTrueAction, dest="fast", new_flag="--fast")
ServerArgs = object()
""",
    "sglang/srt/environ.py": "class Envs:\n    SGLANG_A = EnvBool(True)\n",
}


def sources(folder: Path, files: dict[str, str]) -> Sources:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Sources(folder)


def test_vllm_options_come_from_the_config_classes(tmp_path: Path) -> None:
    facts = vllm.facts(sources(tmp_path, VLLM))
    assert facts["options"] == {
        "--help": {"also": ["-h"], "action": "help"},
        "--cache-mode": {"also": ["-cm"], "choices": ["a", "b", "c"], "default": "a"},
        "--share": {"action": "boolean"},
        "--names": {"nargs": "+", "type": "optional_str"},
        "--max-model-len": {"type": "human_int_or_auto", "bounds": {"gt": 0}},
        "--limit": {"type": "int", "choices": [1, 2], "default": 1},
        "--quiet": {"action": "true", "default": False},
        "--grpc": {"action": "true", "default": False},
    }
    assert facts["tables"]["methods"] == {"ngram": "ngram", "qwen_mtp": "mtp", "mtp": "mtp"}
    assert facts["tables"]["mtp_models"] == {"qwen_a": "qwen_mtp", "qwen_b": "qwen_mtp"}
    assert set(facts["tables"]["environment"]) == {"VLLM_A", "VLLM_B"}
    assert not any(name.split(".")[0] == "vllm" for name in sys.modules)


def test_sglang_options_come_from_annotated_fields_and_calls(tmp_path: Path) -> None:
    facts = sglang.facts(sources(tmp_path, SGLANG))
    assert facts["options"] == {
        "--help": {"also": ["-h"], "action": "help"},
        "--model-path": {"also": ["--model"], "required": True},
        "--tensor-parallel-size": {"also": ["--tp"], "name": "tp_size", "type": "int", "default": 1},
        "--backend": {"choices": ["x", "y", "z"]},
        "--sizes": {"nargs": "+", "type": "int"},
        "--fast": {"action": "true", "default": False},
        "--old-fast": {"name": "fast", "deprecated": True, "action": "true", "default": False, "new": "--fast"},
    }
    assert facts["tables"]["environment"] == {"SGLANG_A": True}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[*A, 'c']", ["a", "b", "c"]),
        ("['auto'] + list(Table.map.keys())", ["auto", "k"]),
        ("[m.name.lower() for m in Colour]", ["red", "blue"]),
        ("{**{'a': 1}, 'b': 2}", {"a": 1, "b": 2}),
        ("A[0].upper()", "A"),
        ("1 << 22", 4194304),
        ("'x' if 'a' in A else 'y'", "x"),
        ("Child.inherited", 5),
    ],
)
def test_expressions_of_declarations(tmp_path: Path, expression: str, value: Any) -> None:
    text = f"""
import enum
A = ["a", "b"]
class Table:
    map = {{"k": object}}
class Colour(enum.Enum):
    RED = 1
    BLUE = 2
class Base:
    inherited: int = 5
class Child(Base):
    other: int = 1
wanted = {expression}
"""
    reader = Interpreter(sources(tmp_path, {"m.py": text}))
    module = reader.sources.module("m")
    assert module is not None
    assert reader.name(module, "wanted") == value


RELEASES: dict[str, Any] = {
    "1.0": {
        "options": {"--a": {"choices": ["x"]}},
        "keys": {},
        "tables": {"methods": {}, "mtp_models": {}, "environment": {}},
    },
    "1.10": {
        "options": {"--b": {}},
        "keys": {"K": {"k": {}}},
        "tables": {"methods": {"mtp": "mtp"}, "mtp_models": {}, "environment": {}},
    },
    "1.9": {
        "options": {"--a": {"choices": ["x"]}, "--b": {}},
        "keys": {},
        "tables": {"methods": {}, "mtp_models": {}, "environment": {}},
    },
}


def test_a_timeline_says_a_fact_where_it_changes() -> None:
    merged = timeline.merge(RELEASES)
    assert merged["releases"] == ["1.0", "1.9", "1.10"]
    assert merged["options"] == {"--a": [[0, {"choices": 0}], [2, None]], "--b": [[1, {}]]}
    assert merged["choices"] == [["x"]]


def test_timelines_come_apart_again() -> None:
    assert timeline.split(timeline.merge(RELEASES)) == RELEASES
