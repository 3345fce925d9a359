"""Does this checkpoint really carry an MTP head? Told from its index and headers; tensors are never read.

A Qwen head is named ``mtp.*``: ``fc``, one block a layer with attention and MLP, ``norm``, and two norms before ``fc``
(vLLM 0.32.0, model_executor/models/qwen3_next_mtp.py and qwen3_5_mtp.py). config.json declares its layers as
``mtp_num_hidden_layers`` (Qwen3.5 on) or ``num_nextn_predict_layers`` (Qwen3-Next); quantised builds often forget to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from pytest_qwen_mtp.findings import Certainty, Finding, Fix, Place, Reason, Severity
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.safetensors_header import BadHeader, NotHere, Tensor, read_header

INDEX = "model.safetensors.index.json"
_JSON_LIMIT = 50_000_000
_SHARDS = 500

_HEAD = re.compile(r"(?:^|\.)mtp\.(.+)$")
_LAYER = re.compile(r"layers\.(\d+)\.(self_attn|mlp)\.")
_DECLARING = ("mtp_num_hidden_layers", "num_nextn_predict_layers")
_QWEN = re.compile(r"qwen3_(?:next|5)(?:_moe)?(?:_text)?$")
_PARTS = ("fc", "norm", "pre_fc_norm_hidden", "pre_fc_norm_embedding")
_FLOATS = ("BF16", "F16", "F32")


class Verdict(StrEnum):
    """What the checkpoint holds."""

    REAL = "real"
    UNDECLARED = "undeclared"  # a whole head that config.json does not name
    ABSENT = "absent"
    STUB = "stub"  # some mtp.* tensors, but no working head
    UNREADABLE = "unreadable"  # the files contradict themselves


@dataclass(frozen=True, slots=True)
class WeightsResult:
    """What was found. ``verdict`` is None where the checkpoint was not read, and ``reason`` says why.

    ``detail`` says what decided the verdict, ``place`` in which file. ``tensors``: how many are ``mtp.*``; ``layers``:
    blocks in the head; ``declared``: layers that config.json names (None: it does not); ``dtypes``: element types of
    the head, where headers were read.
    """

    verdict: Verdict | None
    reason: str | None = None
    detail: str | None = None
    place: Place | None = None
    tensors: int = 0
    layers: int = 0
    declared: int | None = None
    quantization: str | None = None
    dtypes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """What registry conditions may ask about the checkpoint."""
        if self.verdict is None:
            return {}
        return {
            "mtp": str(self.verdict),
            "mtp_layers": self.layers,
            "declared_layers": self.declared,
            "quant_method": self.quantization,
        }


class _Broken(Exception):
    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.place = Place(str(path))


class _Unread(Exception):
    """Nothing is wrong, but there is nothing here to judge."""


def check_weights(model: Word, speculation: Mapping[str, Any] | None) -> WeightsResult:
    """What the checkpoint at the path ``model.text`` (a folder or one file) holds, and what that means here.

    ``speculation`` is ``{"method": …, "k": …}`` or None. Never raises; findings stand at the place of ``model``.
    """
    path = Path(model.text)
    try:
        result = _look(path)
    except _Unread as unread:
        return WeightsResult(None, f"{model.text}: {unread}")
    except _Broken as broken:
        result = WeightsResult(Verdict.UNREADABLE, detail=str(broken), place=broken.place)
    except (OSError, ValueError) as error:
        return WeightsResult(None, f"{model.text}: {getattr(error, 'strerror', None) or error}")
    found = _finding(result, model, speculation)
    return result if found is None else replace(result, findings=(found,))


def _look(path: Path) -> WeightsResult:
    folder = path if path.is_dir() else path.parent
    config_path = folder / "config.json"
    config = _json(config_path) if config_path.is_file() else {}
    text_config = config.get("text_config")
    inner = text_config if isinstance(text_config, dict) else {}
    declared = _declared(config, inner)
    quantization = _quantization(config)
    names, tensors, place = _names(path)
    head = {match[1]: name for name in names if "mtp." in name and (match := _HEAD.search(name))}
    layers = {int(match[1]) for part in head if (match := _LAYER.match(part))}
    headers = {part: tensors[name] for part, name in head.items() if name in tensors}
    missing = _missing(head, headers, layers, {**config, **inner})
    detail = None
    if not head:
        verdict = Verdict.ABSENT
        detail = f"none of {len(names)} tensors is mtp.*" + _beside(folder, path)
    elif missing:
        verdict = Verdict.STUB
        detail = f"{len(head)} mtp.* tensors, but {missing}"
    else:
        verdict = Verdict.REAL if declared else Verdict.UNDECLARED
    dtypes = tuple(sorted({tensor.dtype for tensor in headers.values()}))
    return WeightsResult(
        verdict, None, detail, Place(str(place)), len(head), len(layers), declared, quantization, dtypes
    )


def _json(path: Path) -> dict[str, Any]:
    if path.stat().st_size > _JSON_LIMIT:
        raise _Broken(path, f"{path.name} is larger than {_JSON_LIMIT:,} bytes")
    data = path.read_bytes()
    if data.startswith(b"version https://git-lfs"):
        raise _Unread(f"{path.name} is a Git LFS pointer")
    try:
        read = json.loads(data)
    except json.JSONDecodeError as error:
        broken = _Broken(path, f"{path.name} is not JSON: {error.msg}")
        broken.place = Place(str(path), error.lineno, error.colno)
        raise broken from None
    except (UnicodeDecodeError, RecursionError):
        raise _Broken(path, f"{path.name} is not JSON") from None
    if not isinstance(read, dict):
        raise _Broken(path, f"{path.name} is not a JSON object")
    return read


def _declared(config: Mapping[str, Any], inner: Mapping[str, Any]) -> int | None:
    for place in (inner, config):
        for key in _DECLARING:
            value = place.get(key)
            if type(value) is int:
                return value
    return None


def _quantization(config: Mapping[str, Any]) -> str | None:
    given = config.get("quantization_config")
    if not isinstance(given, dict):
        return None
    return str(given.get("quant_method") or given.get("quant_algo") or "quantised")


def _names(path: Path) -> tuple[list[str], dict[str, Tensor], Path]:
    """All tensor names, the headers of those that were looked at, and the file that decides."""
    if not path.exists():
        raise _Unread("nothing lies there")
    if path.is_file():
        if path.suffix != ".safetensors":
            raise _Unread(f"{path.suffix or 'this kind of file'} is not read; only safetensors are")
        tensors = _header(path)
        return list(tensors), tensors, path
    index = path / INDEX
    if index.is_file():
        return _from_index(path, index)
    files = sorted(path.glob("*.safetensors"))[:_SHARDS]
    if not files:
        raise _Unread("no *.safetensors lies there")
    everything: dict[str, Tensor] = {}
    for file in files:
        everything.update(_header(file))
    return list(everything), everything, files[0] if len(files) == 1 else path


def _from_index(folder: Path, index: Path) -> tuple[list[str], dict[str, Tensor], Path]:
    """Names by the index; the shards that hold the head are asked themselves."""
    weight_map = _json(index).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(file, str) for file in weight_map.values()):
        raise _Broken(index, f"{index.name} has no weight_map of tensor to file")
    shards: dict[str, list[str]] = {}
    for name, file in weight_map.items():
        if "mtp." in name and _HEAD.search(name):
            shards.setdefault(file, []).append(name)
    tensors: dict[str, Tensor] = {}
    for file, names in sorted(shards.items())[:_SHARDS]:
        if file != Path(file).name:
            raise _Broken(index, f"{index.name} names {file[:80]!r}, which lies outside the checkpoint")
        shard = folder / file
        if not shard.exists():
            raise _Broken(index, f"{index.name} puts {names[0]} into {file}, which is not there")
        header = _header(shard)
        lost = [name for name in names if name not in header]
        if lost:
            raise _Broken(shard, f"{index.name} puts {lost[0]} into {file}, whose header does not have it")
        tensors.update((name, header[name]) for name in names)
    return list(weight_map), tensors, index


def _header(path: Path) -> dict[str, Tensor]:
    try:
        return read_header(path)
    except BadHeader as bad:
        raise _Broken(path, f"{path.name}: {bad}") from None
    except NotHere as elsewhere:
        raise _Unread(f"{path.name} is {elsewhere}") from None


def _missing(
    head: Mapping[str, str], headers: Mapping[str, Tensor], layers: set[int], config: Mapping[str, Any]
) -> str | None:
    """What keeps the tensors from being a head, in words. Other architectures than Qwen's are not judged."""
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or not _QWEN.match(model_type):
        return None
    lost = [part for part in _PARTS if not any(name.startswith(part + ".") for name in head)]
    if not layers:
        lost.append("layers")
    for layer in sorted(layers):
        lost += [
            f"layers.{layer}.{block}"
            for block in ("self_attn", "mlp")
            if not any(name.startswith(f"layers.{layer}.{block}.") for name in head)
        ]
    if lost:
        return "no " + ", ".join(lost)
    empty = next((name for name, tensor in headers.items() if 0 in tensor.shape), None)
    if empty is not None:
        return f"{empty} is empty"
    hidden = config.get("hidden_size")
    projection = headers.get("fc.weight")
    if projection is not None and projection.dtype in _FLOATS and type(hidden) is int:
        expected = (hidden, 2 * hidden)
        if projection.shape != expected:
            return f"fc.weight has the shape {list(projection.shape)} where {list(expected)} is expected"
    return None


def _beside(folder: Path, path: Path) -> str:
    """A file with a head beside the index is not loaded: engines take the files that the index names."""
    if not path.is_dir() or not (folder / INDEX).is_file():
        return ""
    other = next((file.name for file in sorted(folder.glob("*mtp*.safetensors"))), None)
    return f" ({other} lies beside them, but the index does not name it, so it is not loaded)" if other else ""


def _finding(result: WeightsResult, model: Word, speculation: Mapping[str, Any] | None) -> Finding | None:
    method = str((speculation or {}).get("method") or "").lower()
    own_head = "mtp" in method or "nextn" in method
    maybe = method in ("eagle", "eagle3")  # SGLang: the own head, unless a draft model is named
    why = (Reason(f"{result.verdict}: {result.detail or f'{result.tensors} mtp.* tensors'}", place=result.place),)
    certainty = Certainty.DEFINITE if own_head else Certainty.POSSIBLE
    if result.verdict is Verdict.UNREADABLE:
        message = f"The checkpoint cannot be loaded: {result.detail}."
        fix = Fix("Download the checkpoint again and compare its checksums.")
        return _make("checkpoint-unreadable", Severity.HIGH, Certainty.DEFINITE, model, message, why, fix)
    if not own_head and not maybe:
        return None
    asked = f"Speculation by {(speculation or {}).get('method')} is on"
    if result.verdict is Verdict.ABSENT:
        then = (
            f"a checkpoint quantised by {result.quantization} loads all the same, accepts nothing and decodes slower"
            if result.quantization
            else "the engine stops at the start, because the head's weights are not in the checkpoint"
        )
        severity = Severity.HIGH if result.quantization else Severity.CRITICAL
        fix = Fix("Take a checkpoint that carries the mtp.* tensors, or turn speculation off.")
        message = f"{asked} and the checkpoint has no MTP head: {then}."
        return _make("mtp-head-absent", severity, certainty, model, message, why, fix)
    if result.verdict is Verdict.STUB:
        fix = Fix("Take the mtp.* tensors of the base model, or turn speculation off.")
        message = f"{asked} and the checkpoint's MTP head is not whole: {result.detail}."
        return _make("mtp-head-stub", Severity.HIGH, certainty, model, message, why, fix)
    if result.verdict is Verdict.UNDECLARED and (speculation or {}).get("k") is None:
        fix = Fix('Give the number of speculative tokens, or put "mtp_num_hidden_layers" into config.json.')
        message = f"{asked} without a number of tokens, and config.json does not say how deep the MTP head is."
        return _make("mtp-head-undeclared", Severity.MEDIUM, certainty, model, message, why, fix)
    return None


def _make(
    rule: str,
    severity: Severity,
    certainty: Certainty,
    model: Word,
    message: str,
    why: tuple[Reason, ...],
    fix: Fix,
) -> Finding:
    return Finding(rule, severity, certainty, model.place, message, "weights", why=why, fix=fix)
