"""Cards that the sizes ask for against cards that the file gives; what is not known stays silent."""

from __future__ import annotations

from pathlib import Path

import pytest
from started import command, only, told

RULE = "gpu-count-mismatch"
SGLANG = "lmsysorg/sglang:v0.5.23-cu130"
LAUNCH = "python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3.6-27B"


def reserve(count: object) -> str:
    device = f"{{driver: nvidia, {count}, capabilities: [gpu]}}"
    return f"    deploy: {{resources: {{reservations: {{devices: [{device}]}}}}}}\n"


def visible(value: str) -> str:
    return f"    environment: {{CUDA_VISIBLE_DEVICES: '{value}'}}\n"


@pytest.mark.parametrize(
    ("words", "image", "more", "message"),
    [
        ("m, -tp, '2'", "vllm/vllm-openai:v0.32.0", reserve("count: 1"), "it needs 2 cards and is given 1"),
        ("m, -tp, '2', -pp, '2'", "vllm/vllm-openai:v0.28.0", reserve("count: 2"), "it needs 4 cards and is given 2"),
        ("m, -tp, '2', -dp, '4'", "vllm/vllm-openai:v0.28.0", visible("0,1,2,3"), "it needs 8 cards and is given 4"),
        (
            "m, -tp, '4'",
            "vllm/vllm-openai:v0.32.0",
            reserve("device_ids: ['0', '3']"),
            "it needs 4 cards and is given 2",
        ),
        (
            "m, -tp, '2'",
            "vllm/vllm-openai:v0.32.0",
            reserve("count: 4") + visible("3"),
            "it needs 2 cards and is given 1",
        ),
        (f"{LAUNCH}, --tp, '2', --dp-size, '2'", SGLANG, reserve("count: 2"), "it needs 4 cards and is given 2"),
        (f"{LAUNCH}, --tp, '8', --nnodes, '2'", SGLANG, reserve("count: 2"), "it needs 4 cards and is given 2"),
    ],
)
def test_too_few_cards(tmp_path: Path, words: str, image: str, more: str, message: str) -> None:
    finding = only(told(tmp_path, command(words, image, more)), RULE)
    assert message in finding.message
    assert len(finding.why) == 2


@pytest.mark.parametrize(
    ("words", "image", "more"),
    [
        ("m, -tp, '2'", "vllm/vllm-openai:v0.32.0", reserve("count: 2")),
        ("m, -tp, '2'", "vllm/vllm-openai:v0.32.0", reserve("count: all")),
        ("m, -tp, '2'", "vllm/vllm-openai:v0.32.0", ""),
        ("m, -tp, '2'", "vllm/vllm-openai:v0.32.0", visible("all")),
        ("m, -tp, '2'", "vllm/vllm-openai:v0.32.0", visible("${CARDS:-0,1}")),
        ("m", "vllm/vllm-openai:v0.32.0", visible("1")),
        ("m, -tp, '16', --distributed-executor-backend, ray", "vllm/vllm-openai:v0.32.0", reserve("count: 8")),
        ("m, -dp, '8', --data-parallel-size-local, '2'", "vllm/vllm-openai:v0.32.0", reserve("count: 2")),
        (f"{LAUNCH}, --tp, '4', --dp-size, '4', --enable-dp-attention", SGLANG, reserve("count: 4")),
        (f"{LAUNCH}, --tp, '8', --nnodes, '2'", SGLANG, reserve("count: 4")),
    ],
)
def test_enough_cards_or_nobody_knows(tmp_path: Path, words: str, image: str, more: str) -> None:
    assert told(tmp_path, command(words, image, more)) == []


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("--gpus 1", 1),
        ("--gpus '\"device=0\"'", 1),
        ("--gpus device=2", 1),
        ("--device nvidia.com/gpu=0", 1),
        ("--gpus '\"device=0,1\"'", None),
        ("--gpus all", None),
        ("--device nvidia.com/gpu=all", None),
        ("--gpus 2", None),
        ("", None),
    ],
)
def test_cards_of_docker_run(tmp_path: Path, option: str, given: int | None) -> None:
    text = f"#!/bin/sh\ndocker run {option} vllm/vllm-openai:v0.32.0 Qwen/Qwen3.6-27B -tp 2\n"
    found = told(tmp_path, text, "start.sh")
    assert [each.message for each in found] == (
        [] if given is None else [f"the server does not start: it needs 2 cards and is given {given}"]
    )
