"""What a release's config takes of a JSON value, as pydantic reads it (checked on vLLM 0.32.0)."""

from __future__ import annotations

from typing import Any

import pytest
from settings_of import kinds, settings

from pytest_qwen_mtp.engines.fits import of_types, out_of_bounds, wrong_value
from pytest_qwen_mtp.engines.options import Key
from pytest_qwen_mtp.engines.verdict import verdict


@pytest.mark.parametrize(
    ("value", "types", "fits"),
    [
        (1, ("integer",), True),
        (1.0, ("integer",), True),
        (1.5, ("integer",), False),
        ("3", ("integer",), True),
        ("x", ("integer",), False),
        (True, ("integer",), True),
        (1, ("number",), True),
        ("1e3", ("number",), True),
        (1, ("boolean",), True),
        (2, ("boolean",), False),
        ("on", ("boolean",), True),
        ("x", ("boolean",), False),
        (5, ("string",), False),
        (None, ("string",), False),
        (None, ("null", "string"), True),
        ([1], ("array",), True),
        ({}, ("array",), False),
        (object(), ("any",), True),
    ],
)
def test_types(value: Any, types: tuple[str, ...], fits: bool) -> None:
    assert of_types(value, types) is fits


def test_bounds_and_choices() -> None:
    assert out_of_bounds(0, (("ge", 1),)) == "found 0, expected at least 1"
    assert out_of_bounds(1, (("ge", 1), ("le", 1))) is None
    assert out_of_bounds("0", (("gt", 1),)) is None
    key = Key("level", ("integer",), choices=(0, 1))
    assert wrong_value(1, key) is None
    assert wrong_value(True, key) == "found True, expected one of 0, 1"


@pytest.mark.parametrize(
    ("words", "kind", "ends"),
    [
        ("--max-num-seqs 0", "invalid-flag-value", "config error"),
        ('--compilation-config \'{"cudagraph_num_of_warmups": "x"}\'', "invalid-flag-value", "parse error"),
        ('--compilation-config \'{"pass_config": {"nope": 1}}\'', "invalid-flag-value", "parse error"),
        ('--speculative-config \'{"method": "mtp"}\'', "invalid-speculative-config", "config error"),
        ("--speculative-config '{\"num_speculative_tokens\": 2}'", "invalid-speculative-config", "config error"),
        ("--spec-method eagle3 --spec-tokens 2", "invalid-speculative-config", "config error"),
        ("--enable-auto-tool-choice", "invalid-flag-value", "config error"),
        ("--kv-sharing-fast-prefill --spec-method mtp --spec-tokens 1", "invalid-flag-value", "config error"),
    ],
)
def test_what_the_config_refuses(words: str, kind: str, ends: str) -> None:
    assert kinds(f"vllm serve M {words}") == [kind]
    assert verdict(settings(f"vllm serve M {words}")) == ends


@pytest.mark.parametrize(
    "words",
    [
        '--speculative-config \'{"method": "ngram", "num_speculative_tokens": 2}\'',
        '--speculative-config \'{"method": "suffix"}\'',
        '--speculative-config \'{"method": "mtp", "num_speculative_tokens": "2"}\'',
        "--enable-auto-tool-choice --tool-call-parser hermes",
        "--max-model-len auto",
        "--max-loras 0",  # asked for with LoRA only
        "--compilation-config '{\"max_cudagraph_capture_size\": null}'",
    ],
)
def test_what_the_config_takes(words: str) -> None:
    assert kinds(f"vllm serve M {words}") == []
    assert verdict(settings(f"vllm serve M {words}")) == "starts"
