"""Entries that propose one change of each kind, and a registry of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_qwen_mtp.fix import Result, fix
from pytest_qwen_mtp.fixing import read_texts
from pytest_qwen_mtp.profiles.load import LoadOptions
from pytest_qwen_mtp.registry.entry import Entry, read_entry
from pytest_qwen_mtp.registry.load import Registry


def entry(
    name: str, when: dict[str, Any], *workarounds: dict[str, Any], severity: str = "high", engine: str = "vllm"
) -> Entry:
    affected = [{"introduced": "0.20.0", "fixed": "0.40.0"}] if engine == "vllm" else [{"introduced": "0.1"}]
    data = {
        "id": name,
        "title": "made up",
        "engine": engine,
        "severity": severity,
        "affected": affected,
        "when": when,
        "symptom": f"{name} happens.",
        "silent": False,
        "impact": "none",
        "workarounds": [{"text": f"do what {name} says", **each} for each in workarounds],
        "references": [],
        "evidence": "read in source",
        "last_checked": "2026-12-01",
        "live": "none",
    }
    return read_entry(data, Path(f"{name}.yaml"))


def setting(name: str, before: Any, after: Any, **more: Any) -> Entry:
    return entry(f"vllm-{name.replace('.', '-').replace('_', '-')}", {name: before}, {"set": {name: after}, **more})


FLAG = setting("enable_prefix_caching", True, False)
VALUE = setting("max_num_seqs", 64, 8, remeasure=True)
GONE = setting("kv_cache_dtype", "fp8", None)
KEY = setting("speculative.num_speculative_tokens", 3, 1)
NEW = entry("vllm-new", {"not": {"max_model_len": {"given": True}}}, {"set": {"max_model_len": 4096}})
BEFORE = {
    "model": ["Qwen/Qwen3.6-27B-FP8"],
    "flag": ["--enable-prefix-caching"],
    "value": ["--max-num-seqs", "64"],
    "gone": ["--kv-cache-dtype", "fp8"],
    "key": ["--speculative-config", '{"method":"mtp","num_speculative_tokens":3}'],
    "other": ["--tensor-parallel-size", "2"],
    "name": ["--served-model-name", "qwen", "Qwen 3.6"],
}
AFTER = {
    **BEFORE,
    "flag": ["--no-enable-prefix-caching"],
    "value": ["--max-num-seqs", "8"],
    "gone": [],
    "key": ["--speculative-config", '{"method":"mtp","num_speculative_tokens":1}'],
    "new": ["--max-model-len", "4096"],
}


def fixed(path: Path, *entries: Entry, rules: Any = (), paths: tuple[Path, ...] = ()) -> Result:
    """What ``fix`` makes of the file."""
    paths = paths or (path,)
    return fix(paths, LoadOptions(), Registry(entries), rules, read_texts(paths))
