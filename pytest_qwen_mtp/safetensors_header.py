"""The header of a safetensors file, and nothing behind it: names, types and shapes of its tensors.

Format: 8 bytes little-endian length, that many bytes of JSON, then the data (huggingface/safetensors, README,
"Format"). Its own reader refuses headers above 100 MB and offsets that leave holes; so do we.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADER_LIMIT = 100_000_000
"""Bytes; the limit of the safetensors library."""

_BITS = {"BOOL": 8, "U8": 8, "I8": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32}
_BITS |= {
    "F64": 64,
    "I64": 64,
    "U64": 64,
    "F8_E4M3": 8,
    "F8_E5M2": 8,
    "F8_E8M0": 8,
    "F4": 4,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
}
_BITS |= {"C64": 64}
_LFS = b"version https://git-lfs"


class BadHeader(Exception):
    """The file is no sound safetensors file; the text says what was found and what was expected."""


class NotHere(Exception):
    """The file is a stand-in for data that lies elsewhere; the text says which."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor: element type as the format names it (``BF16``) and shape."""

    dtype: str
    shape: tuple[int, ...]


def read_header(path: Path) -> dict[str, Tensor]:
    """All tensors of ``path`` by name, without reading them. Raises ``BadHeader``, ``NotHere`` or ``OSError``."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(8)
        if start == _LFS[:8]:
            raise NotHere("a Git LFS pointer, not the weights")
        if len(start) < 8:
            raise BadHeader(f"the file has {size} bytes; a header begins with 8")
        (length,) = struct.unpack("<Q", start)
        if length > min(HEADER_LIMIT, size - 8):
            raise BadHeader(f"the header says it is {length:,} bytes long; the file has {size - 8:,} behind its length")
        text = file.read(length)
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise BadHeader("the header is not JSON") from None
    if not isinstance(header, dict):
        raise BadHeader("the header is not a JSON object")
    header.pop("__metadata__", None)
    return _tensors(header, size - 8 - length)


def _tensors(header: Mapping[str, Any], data: int) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    end = 0
    for name, entry in header.items():
        try:
            dtype, shape, (low, high) = entry["dtype"], entry["shape"], entry["data_offsets"]
            numbers = [low, high, *shape]
        except (TypeError, KeyError, ValueError):
            raise BadHeader(f"{name[:80]}: expected dtype, shape and two data_offsets") from None
        if not isinstance(dtype, str) or not all(type(number) is int and number >= 0 for number in numbers):
            raise BadHeader(f"{name[:80]}: shape and offsets must be whole numbers from 0 on")
        bits = _BITS.get(dtype)
        count = math.prod(shape)
        if low > high or (bits is not None and (count * bits + 7) // 8 != high - low):
            raise BadHeader(f"{name[:80]}: {dtype} {shape} does not fit its {high - low:,} bytes")
        end = max(end, high)
        found[name] = Tensor(dtype, tuple(shape))
    if end > data:
        raise BadHeader(f"the file is cut short: its tensors need {end:,} bytes, {data:,} are there")
    return found
