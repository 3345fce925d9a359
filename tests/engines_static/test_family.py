"""Names and configs into models."""

from __future__ import annotations

import pytest

from pytest_qwen_mtp.engines.family import identify_model


@pytest.mark.parametrize(
    ("name", "family", "model_type", "hybrid", "moe", "quantization", "size"),
    [
        ("Qwen/Qwen3.6-27B-FP8", "qwen3.6", "qwen3_5", True, False, "fp8", "27B"),
        ("Qwen/Qwen3.5-4B", "qwen3.5", "qwen3_5", True, False, "bf16", "4B"),
        ("/weights/qwen36-27b-int4", "qwen3.6", "qwen3_5", True, False, "int4", "27B"),
        ("/ckpt/qwen35-122b-a10b-fp8", "qwen3.5", "qwen3_5_moe", True, True, "fp8", "122B-A10B"),
        ("/casks/Qwen3.6-35B-A3B-MTP-Q4_K_M.gguf", "qwen3.6", "qwen3_5_moe", True, True, "gguf", "35B-A3B"),
        ("unsloth/Qwen3.6-27B-GGUF:UD-IQ4_XS", "qwen3.6", "qwen3_5", True, False, "gguf", "27B"),
        ("/casks/qwen35-4b-q8.gguf", "qwen3.5", "qwen3_5", True, False, "gguf", "4B"),
        ("Qwen3.5-122B", "qwen3.5", "qwen3_5_moe", True, True, None, "122B"),
        ("someone/Qwen3.8-2.4T-A95B-NVFP4", "qwen3.8", "qwen3_5_moe", True, True, "nvfp4", "2.4T-A95B"),
        ("Qwen3.8-27B W4A16", "qwen3.8", "qwen3_5", True, False, "int4", "27B"),
        ("x/Qwen3.6-27B-AWQ-BF16-INT4", "qwen3.6", "qwen3_5", True, False, "awq", "27B"),
        ("Qwen/Qwen3.5-397B-A17B-GPTQ-Int4", "qwen3.5", "qwen3_5_moe", True, True, "gptq", "397B-A17B"),
        ("x/Qwen3.6-27B-DSV4Pro-Thinking-Distill-FP8", "qwen3.6", "qwen3_5", True, False, "fp8", "27B"),
        ("qwen3_5-27b", "qwen3.5", "qwen3_5", True, False, None, "27B"),
        ("qwen3-5-35b-a3b", "qwen3.5", "qwen3_5_moe", True, True, None, "35B-A3B"),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct-FP8", "qwen3-next", "qwen3_next", True, True, "fp8", "80B-A3B"),
        ("Qwen/Qwen3-Coder-Next", "qwen3-next", "qwen3_next", True, True, "bf16", None),
        ("x/Qwen3.8-Flash-Next-NVFP4", "qwen3.8-flash-next", "qwen4_exp", True, True, "nvfp4", None),
        ("/hub/models--Qwen--Qwen3.6-27B-FP8/snapshots/0123ab", "qwen3.6", "qwen3_5", True, False, "fp8", "27B"),
        ("Qwen/Qwen3-8B", "qwen3", "qwen3", False, False, "bf16", "8B"),
        ("qwen3-4b", "qwen3", "qwen3", False, False, None, "4B"),
        ("Qwen/Qwen3-30B-A3B", "qwen3", "qwen3_moe", False, True, "bf16", "30B-A3B"),
        ("Qwen/Qwen3-Embedding-0.6B", "qwen3-embedding", "qwen3", False, False, "bf16", "0.6B"),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl", None, False, False, "bf16", "8B"),
        ("qwen25-7b", "qwen2.5", "qwen2", False, False, None, "7B"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "qwen2.5", "qwen2", False, False, None, "32B"),
        ("meta-llama/Llama-3.1-8B", "llama", None, False, None, None, "8B"),
    ],
)
def test_a_name_tells_the_model(
    name: str,
    family: str,
    model_type: str | None,
    hybrid: bool,
    moe: bool | None,
    quantization: str | None,
    size: str | None,
) -> None:
    model = identify_model(name)
    assert (model.family, model.model_type, model.hybrid, model.moe) == (family, model_type, hybrid, moe)
    assert (model.quantization, model.size) == (quantization, size)


@pytest.mark.parametrize("name", ["/model", "MODEL", "/models/qwen", "", None, "${CHECKPOINT}", "Qwen-7B", "qwen34b"])
def test_what_a_name_does_not_tell_is_unknown(name: str | None) -> None:
    model = identify_model(name)
    assert model.family is None
    assert model.hybrid is None
    assert model.moe is None


def test_a_generation_that_is_not_known_is_neither_hybrid_nor_plain() -> None:
    model = identify_model("Qwen/Qwen3.7-27B")
    assert model.family == "qwen3.7"
    assert model.hybrid is None


def test_the_option_tells_the_quantization_where_the_name_does_not() -> None:
    assert identify_model("/m/qwen36-27b", quantization="auto_round").quantization == "int4"
    assert identify_model("Qwen/Qwen3.6-27B", quantization="fp8").quantization == "fp8"
    assert identify_model("x/Qwen3.6-27B-NVFP4", quantization="modelopt").quantization == "nvfp4"


def test_the_config_is_believed_before_the_name() -> None:
    config = {
        "model_type": "qwen3_5_moe",
        "text_config": {"layer_types": ["linear_attention", "full_attention"], "num_experts": 256},
        "quantization_config": {"quant_method": "compressed-tensors", "format": "pack-quantized"},
    }
    model = identify_model("/model", config)
    assert (model.model_type, model.hybrid, model.moe, model.quantization) == ("qwen3_5_moe", True, True, "int4")
    plain = identify_model("/models/qwen36", {"model_type": "qwen3"})
    assert (plain.hybrid, plain.moe) == (False, False)


def test_a_config_without_model_type_changes_nothing() -> None:
    assert identify_model("Qwen/Qwen3.6-27B-FP8", {"model_type": 3}) == identify_model("Qwen/Qwen3.6-27B-FP8")
