"""Which model a name or a ``config.json`` stands for: family, architecture, hybrid, mixture, quantisation.

Names are what people write: hub names, local folders, GGUF files, fine-tunes that keep the base name. What a name
does not tell stays None, which means unknown and never "no".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Model:
    """What is known of a model; None is unknown.

    ``family``: ``qwen3.6``, ``qwen3-next``, ``qwen3.8-flash-next``, … ``model_type``: the one of Transformers'
    config.json (``qwen3_5_moe``). ``hybrid``: has linear-attention (GDN, Mamba) layers beside full attention.
    ``size`` as in the name (``35B-A3B``). ``quantization``: fp8, nvfp4, mxfp4, int4, int8, awq, gptq, gguf, bf16.
    """

    name: str | None
    family: str | None
    model_type: str | None
    hybrid: bool | None
    moe: bool | None
    quantization: str | None
    size: str | None
    evidence: str


# Model types by family: transformers' and vLLM 0.32.0's config classes (transformers_utils/configs/qwen3_5*.py,
# qwen3_next.py, model_executor/models/registry.py); which size is a mixture: the models' published config.json files.
_HYBRID_GENERATIONS = {"3.5", "3.6", "3.8"}
_MIXTURE_SIZES = {"35B", "122B", "397B", "2.4T"}
_DENSE_SIZES = {"0.8B", "2B", "4B", "9B", "27B"}

_HYBRID_TYPES = {
    "qwen3_next": "qwen3-next",
    "qwen3_5": None,
    "qwen3_5_text": None,
    "qwen3_5_moe": None,
    "qwen3_5_moe_text": None,
    "qwen4_exp": "qwen3.8-flash-next",
    "qwen4_exp_text": "qwen3.8-flash-next",
}
_MIXTURE_TYPES = {
    "qwen3_next",
    "qwen3_5_moe",
    "qwen3_5_moe_text",
    "qwen4_exp",
    "qwen4_exp_text",
    "qwen3_moe",
    "qwen2_moe",
}
_PLAIN_TYPES = {
    "qwen2": "qwen2",
    "qwen2_moe": "qwen2",
    "qwen2_vl": "qwen2-vl",
    "qwen2_5_vl": "qwen2.5-vl",
    "qwen3": "qwen3",
    "qwen3_moe": "qwen3",
    "qwen3_vl": "qwen3-vl",
    "qwen3_vl_moe": "qwen3-vl",
    "qwen3_omni_moe": "qwen3-omni",
    "llama": "llama",
    "mistral": "mistral",
}

# The second digit may be joined in any way ("3.6", "36", "3_6", "3p6", "3-6") unless it begins a size ("Qwen3-8B").
_QWEN = re.compile(
    r"(?<![a-z])(?:qwen|qwq)[-_. ]?"
    r"(?:v?(?P<major>\d)(?![\d.]*[bt](?![a-z]))(?:(?:[._p-]|(?=\d(?![\d.]*b)))(?P<minor>\d)(?![\d]|\.\d|[bt](?![a-z]))|(?:\.(?P<dotted>\d+)))?)?",
    re.I,
)
_SIZE = re.compile(r"(?<![\da-z.])(\d+(?:\.\d+)?[bt])(?:[-_. ]?(a\d+(?:\.\d+)?b))?(?![a-z0-9])", re.I)
_KIND = re.compile(
    r"(?<![a-z])(embedding|embed|reranker|rerank|vl|omni|asr|tts|audio|math|guard|image|coder|next|flash)(?![a-z])",
    re.I,
)
_NOT_CAUSAL = {"embedding": "embedding", "embed": "embedding", "reranker": "reranker", "rerank": "reranker"}

# Other families, so that a known plain model is not "unknown". (pattern, family, hybrid)
_OTHERS = (
    (
        re.compile(r"nemotron[-_ ]?(?:h|3|nano|super)|granite[-_ ]?4|falcon[-_ ]?h1|jamba|kimi[-_ ]?linear|lfm2|zamba"),
        True,
    ),
    (
        re.compile(r"llama|mi[sx]tral|gemma|phi[-_]?\d|gpt[-_]?oss|gpt2|opt-\d|smollm|deepseek|glm-?\d|yi-\d|bge-|e5-"),
        False,
    ),
)

_QUANTIZATIONS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])", re.I))
    for name, pattern in (
        ("gguf", r"gguf|(?:ud[-_])?i?q[2-8](?:[-_](?:k|0|1|xs|xxs|s|m|l|nl|xl)){1,3}|q[2-8]"),
        ("nvfp4", r"(?:modelopt[-_])?nv[-_]?fp4|fp4"),
        ("mxfp4", r"mx[-_]?fp4"),
        ("gptq", r"gptq[a-z]*"),
        ("awq", r"awq[a-z]*"),
        ("int4", r"int4|w4a16|w4a8|auto[-_]?round|bnb|4[-_]?bits?"),
        ("int8", r"int8|w8a8|8[-_]?bits?"),
        ("fp8", r"fp8[a-z]*|f8|w8a8[-_]fp8"),
        ("bf16", r"bf16|fp16|f16"),
    )
)

_QUANTIZATION_OPTION = {
    "fp8": "fp8",
    "fbgemm_fp8": "fp8",
    "ptpc_fp8": "fp8",
    "w8a8_fp8": "fp8",
    "modelopt": "fp8",
    "modelopt_fp8": "fp8",
    "modelopt_fp4": "nvfp4",
    "petit_nvfp4": "nvfp4",
    "nvfp4": "nvfp4",
    "mxfp4": "mxfp4",
    "awq": "awq",
    "awq_marlin": "awq",
    "gptq": "gptq",
    "gptq_marlin": "gptq",
    "auto_round": "int4",
    "auto-round": "int4",
    "inc": "int4",
    "moe_wna16": "int4",
    "bitsandbytes": "int4",
    "w8a8_int8": "int8",
    "gguf": "gguf",
}


def identify_model(name: str | None, config: Mapping[str, Any] | None = None, quantization: str | None = None) -> Model:
    """What ``name`` (hub name, path, file name), ``config`` (a config.json) and ``--quantization`` tell of a model.

    ``config`` is believed before the name. Never raises; what neither tells is None.
    """
    model = _named((name or "").strip(), quantization)
    return model if config is None else _with_config(model, config)


@lru_cache(maxsize=1024)
def _named(text: str, quantization: str | None) -> Model:
    model, part = _by_name(text)
    found = _quantization(text, part, quantization)
    if found is None and model.family and re.fullmatch(r"Qwen/Qwen[\w.-]+", text) and model.hybrid is not None:
        found = "bf16"  # the maker's own repositories name every other format
    return replace(model, quantization=found)


def _unknown(name: str, evidence: str) -> Model:
    return Model(name or None, None, None, None, None, None, None, evidence)


def _by_name(text: str) -> tuple[Model, str]:
    """The model, and the part of the path that named it."""
    if not text:
        return _unknown(text, "no model is named"), ""
    # The last part that names a family decides: folders above it may name anything.
    for part in reversed([each for each in text.replace("\\", "/").split("/") if each]):
        match = _last_qwen(part)
        if match is not None:
            return _qwen(text, part, match), part
        other = _other(text, part)
        if other is not None:
            return other, part
    return _unknown(text, f"the name {text!r} tells no model family"), ""


def _last_qwen(part: str) -> re.Match[str] | None:
    matches = list(_QWEN.finditer(part))
    versioned = [match for match in matches if match["major"]]
    return next(iter(versioned or matches), None)


def _other(text: str, part: str) -> Model | None:
    lowered = part.lower()
    for pattern, hybrid in _OTHERS:
        match = pattern.search(lowered)
        if match is not None:
            family = match[0].strip("-_ ")
            return Model(text, family, None, hybrid, None, None, _size(part)[0], f"the name {text!r} says {family}")
    return None


def _size(part: str) -> tuple[str | None, str | None, bool]:
    """The size as written (``35B-A3B``), its total (``35B``), and whether active parameters are named."""
    match = _SIZE.search(part)
    if match is None:
        return None, None, False
    total = match[1].upper()
    active = match[2].upper() if match[2] else None
    return (f"{total}-{active}" if active else total), total, active is not None


def _qwen(text: str, part: str, match: re.Match[str]) -> Model:
    rest = part[match.end() :]
    size, total, active = _size(rest)
    kinds = {found.lower() for found in _KIND.findall(rest)}
    evidence = f"the name {text!r}"
    major, minor = match["major"], match["minor"] or match["dotted"]
    if match[0].lower().startswith("qwq"):
        return Model(text, "qwen2.5", "qwen2", False, False, None, size, evidence + " says QwQ, a Qwen2.5 model")
    if major is None:
        if re.search(r"distill[-_ ]?$", part[: match.start()], re.I):
            return Model(text, "qwen2.5", "qwen2", False, False, None, size, evidence + " says a distilled Qwen2.5")
        return Model(
            text, None, None, None, True if active else None, None, size, evidence + " names no Qwen generation"
        )
    version = f"{major}.{minor}" if minor else major
    if version == "3" and "next" in kinds:
        return Model(text, "qwen3-next", "qwen3_next", True, True, None, size, evidence + " says Qwen3-Next")
    if version == "3.8" and {"flash", "next"} <= kinds:
        return Model(
            text, "qwen3.8-flash-next", "qwen4_exp", True, True, None, size, evidence + " says Qwen3.8-Flash-Next"
        )
    family = "qwen" + version
    special = next(
        (_NOT_CAUSAL.get(kind, kind) for kind in sorted(kinds) if kind not in ("coder", "flash", "next", "vl")), None
    )
    if version in _HYBRID_GENERATIONS:
        if special is not None:
            return Model(
                text, f"{family}-{special}", None, None, None, None, size, f"{evidence} says {family}-{special}"
            )
        moe = True if active or total in _MIXTURE_SIZES else False if total in _DENSE_SIZES else None
        model_type = None if moe is None else "qwen3_5_moe" if moe else "qwen3_5"
        return Model(text, family, model_type, True, moe, None, size, f"{evidence} says {family}")
    if float(version) > 3:
        return Model(
            text, family, None, None, True if active else None, None, size, f"{evidence} says {family}, not known here"
        )
    if "vl" in kinds:
        special = "vl"
    base = {"1": "qwen", "1.5": "qwen2", "2": "qwen2", "2.5": "qwen2", "3": "qwen3"}.get(version)
    moe = True if active else False if size else None
    plain = None if base is None or moe is None or special in ("vl", "omni", "asr", "tts", "audio", "image") else base
    if plain and moe:
        plain += "_moe"
    shown = f"{family}-{special}" if special else family
    return Model(text, shown, plain, False, moe, None, size, f"{evidence} says {shown}, which has full attention only")


def _quantization(text: str, part: str, option: str | None) -> str | None:
    base = text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    named = None
    for where in dict.fromkeys((base, part)):
        named = named or next((name for name, pattern in _QUANTIZATIONS if pattern.search(where)), None)
    if named in (None, "bf16") and option:
        return _QUANTIZATION_OPTION.get(option.lower(), named)
    return named


def _with_config(model: Model, config: Mapping[str, Any]) -> Model:
    inner = config.get("text_config")
    text = inner if isinstance(inner, Mapping) else {}
    model_type = config.get("model_type") or text.get("model_type")
    if not isinstance(model_type, str):
        return model
    layers = text.get("layer_types") or config.get("layer_types")
    experts = text.get("num_experts") or config.get("num_experts")
    hybrid: bool | None = None
    if model_type in _HYBRID_TYPES or (isinstance(layers, list) and "linear_attention" in layers):
        hybrid = True
    elif model_type in _PLAIN_TYPES or isinstance(layers, list):
        hybrid = False
    moe: bool | None = None
    if model_type in _MIXTURE_TYPES or (isinstance(experts, int) and experts > 1):
        moe = True
    elif model_type in _HYBRID_TYPES or model_type in _PLAIN_TYPES:
        moe = False
    known = _HYBRID_TYPES.get(model_type) or _PLAIN_TYPES.get(model_type)
    family = known if known and not (model.family or "").startswith(known) else model.family or known
    quantization = _quantization_of_config(config) or model.quantization
    evidence = f"config.json says model_type {model_type}"
    return Model(model.name, family, model_type, hybrid, moe, quantization, model.size, evidence)


def _quantization_of_config(config: Mapping[str, Any]) -> str | None:
    block = config.get("quantization_config")
    if not isinstance(block, Mapping):
        return None
    method = str(block.get("quant_method", "")).lower()
    if method == "compressed-tensors":
        form = str(block.get("format", "")).lower()
        return {
            "nvfp4-pack-quantized": "nvfp4",
            "pack-quantized": "int4",
            "float-quantized": "fp8",
            "int-quantized": "int8",
        }.get(form)
    if method.startswith("modelopt"):
        algorithm = str(block.get("quant_algo", "")).lower()
        return "nvfp4" if "fp4" in algorithm else "fp8" if "fp8" in algorithm else None
    return _QUANTIZATION_OPTION.get(method)
