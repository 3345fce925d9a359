"""Image references: which release, which platform, what the image starts by itself, whether the tag moves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.image import is_image_name, read_image
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given, Reference

PLACE = Place("compose.yaml", 3, 12)
SERVE = ("vllm", "serve")
LLAMA = ("/app/llama-server",)
SHA = "3f0c1b9d2e7a4856bc19d0e5f7a2641893c5d7be"


def read(text: str):
    return read_image(Word(text, PLACE))


@pytest.mark.parametrize(
    ("text", "engine", "version", "platform", "entrypoint"),
    [
        ("vllm/vllm-openai:v0.27.1", "vllm", "0.27.1", "cuda", SERVE),
        ("vllm/vllm-openai:0.27.1", "vllm", "0.27.1", "cuda", SERVE),
        ("vllm/vllm-openai:v0.27.1-cu129", "vllm", "0.27.1", "cuda", SERVE),
        ("vllm/vllm-openai:v0.28.0-cu129-ubuntu2404", "vllm", "0.28.0", "cuda", SERVE),
        ("vllm/vllm-openai:v0.28.0-aarch64-cu129", "vllm", "0.28.0", "cuda", SERVE),
        ("vllm/vllm-openai:v0.11.0-x86_64", "vllm", "0.11.0", "cuda", SERVE),
        ("vllm/vllm-openai:v0.28.1rc1.dev43", "vllm", "0.28.1rc1.dev43", "cuda", SERVE),
        ("docker.io/vllm/vllm-openai:v0.32.0@sha256:5b1f6f0a", "vllm", "0.32.0", "cuda", SERVE),
        ("mirror.corp:5000/hub/vllm/vllm-openai:v0.31.0", "vllm", "0.31.0", "cuda", SERVE),
        ("localhost/vllm/vllm-openai:v0.31.0", "vllm", "0.31.0", "cuda", SERVE),
        ("vllm/vllm-openai-rocm:v0.26.0", "vllm", "0.26.0", "rocm", SERVE),
        ("vllm/vllm-openai-cpu:v0.26.0", "vllm", "0.26.0", "cpu", SERVE),
        ("public.ecr.aws/q9t5s3a7/vllm-cpu-release-repo:v0.11.0", "vllm", "0.11.0", "cpu", SERVE),
        ("rocm/vllm:rocm7.0.0_vllm_0.11.2_20251210", "vllm", "0.11.2", "rocm", ()),
        ("lmsysorg/sglang:v0.5.4.post1-cu128", "sglang", "0.5.4.post1", "cuda", ()),
        ("lmsysorg/sglang:v0.5.12.post1-rocm720-mi35x", "sglang", "0.5.12.post1", "rocm", ()),
        ("lmsysorg/sglang:v0.5.13-cu130-runtime", "sglang", "0.5.13", "cuda", ()),
        ("lmsysorg/sglang:v0.5.23-xeon", "sglang", "0.5.23", "cpu", ()),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b11434", "llamacpp", "11434", "cuda", LLAMA),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b11434@sha256:7a6b", "llamacpp", "11434", "cuda", LLAMA),
        ("ghcr.io/ggml-org/llama.cpp:server-b11434", "llamacpp", "11434", "cpu", LLAMA),
        ("ghcr.io/ggerganov/llama.cpp:server--b4719", "llamacpp", "4719", "cpu", LLAMA),
        ("ghcr.io/ggml-org/llama.cpp:full-rocm-b9437", "llamacpp", "9437", "rocm", ("/app/tools.sh",)),
        ("ghcr.io/ggml-org/llama.cpp:server-intel-b9437", "llamacpp", "9437", "xpu", LLAMA),
        ("ghcr.io/ggml-org/llama.cpp:server-vulkan-b9437", "llamacpp", "9437", None, LLAMA),
        ("ghcr.io/ggml-org/llama.cpp:b9437", "llamacpp", "9437", None, None),
    ],
)
def test_release_in_the_tag(text, engine, version, platform, entrypoint):
    image = read(text)
    assert (image.engine, image.version, image.platform, image.entrypoint) == (engine, version, platform, entrypoint)
    assert not image.moving
    assert image.version_evidence.place == PLACE


@pytest.mark.parametrize(
    ("text", "engine", "reason"),
    [
        (f"vllm/vllm-openai:nightly-{SHA}", "vllm", "commit build"),
        ("vllm/vllm-openai:nightly-93d8f834dd8a", "vllm", "commit build"),
        ("lmsysorg/sglang:nightly-dev-cu13-20260922-582389ce", "sglang", "commit build"),
        (f"public.ecr.aws/q9t5s3a7/vllm-release-repo:{SHA}-x86_64", "vllm", "commit build"),
        ("vllm/vllm-openai@sha256:c41d5a7b", "vllm", "a bare digest names no release"),
        ("vllm/vllm-openai:nightly@sha256:c41d5a7b", "vllm", "names no release"),
        ("lmsysorg/sglang-rocm:v0.5.12.post1-rocm720-mi35x-20260601", "sglang", "a build beside the release"),
        ("vllm/vllm-openai:v0.31.0-patched", "vllm", "a build beside the release"),
        ("vllm/vllm-openai:qwen38-flash-next", "vllm", "names no release"),
        ("nvcr.io/nvidia/vllm:25.09-py3", "vllm", "product version"),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0", "vllm", "product version"),
        ("lmcache/vllm-openai:v0.5.4", "vllm", "product version"),
        ("quay.io/ascend/vllm-ascend:v0.11.0rc1", "vllm", "product version"),
        ("ghcr.io/x/vllm:2026.08", "vllm", "the image's own"),
        ("ghcr.io/x/vllm:v0.31.0", "vllm", "the image's own"),
        ("registry.tarn.internal/serving/vllm-spark:2026.08", "vllm", "the image's own"),
        ("harbourmaster.internal/rocm/vllm-qwen36:2.4", "vllm", "the image's own"),
        ("ghcr.io/coppice-lab/vllm@sha256:0d9c8b7a", "vllm", "a bare digest names no release"),
        ("someone/my-llama-cpp-spark:b9000", "llamacpp", "the image's own"),
    ],
)
def test_pinned_but_the_release_is_unknown(text, engine, reason):
    image = read(text)
    assert (image.engine, image.version, image.moving) == (engine, None, False)
    assert reason in image.version_evidence.text


@pytest.mark.parametrize(
    "text",
    [
        "vllm/vllm-openai",
        "docker.io/vllm/vllm-openai",
        "vllm/vllm-openai:latest",
        "vllm/vllm-openai:nightly",
        "vllm/vllm-openai:nightly-aarch64",
        "vllm/vllm-openai:cu130-nightly-aarch64",
        "vllm/vllm-openai:cu130-nightly-x86_64",
        "vllm/vllm-openai:v0.27",
        "lmsysorg/sglang:dev-cu13",
        "lmsysorg/sglang:latest-cu130",
        "lmsysorg/sglang:nightly-dev-cu13",
        "ghcr.io/ggml-org/llama.cpp:server",
        "ghcr.io/ggml-org/llama.cpp:server-cuda",
        "ghcr.io/ggml-org/llama.cpp:full-rocm",
        "ghcr.io/x/vllm:main",
        "ghcr.io/x/vllm:stable-cu130",
        "registry:5000/vllm",
    ],
)
def test_moving_tags(text):
    image = read(text)
    assert (image.version, image.moving) == (None, True)


@pytest.mark.parametrize(
    "text",
    [
        "redis:7",
        "nginx",
        "ghcr.io/berriai/litellm:main-stable",
        "ghcr.io/open-webui/open-webui:main",
        "lmsysorg/sglang-router:v0.2.0",
        "lmcache/lmstack-router:latest",
        "ghcr.io/someone/vllm-exporter:1",
        "ghcr.io/mostlygeek/llama-swap:cuda",
        "ghcr.io/vllm-project/guidellm:v0.3.0",
        "tidepool/engine:dev",
    ],
)
def test_no_engine_in_the_name(text):
    assert read(text).engine is None
    assert read(text).entrypoint is None


def test_parts():
    image = read("mirror.corp:5000/vllm/vllm-openai:v0.31.0@sha256:ab")
    assert (image.registry, image.repository) == ("mirror.corp:5000", "vllm/vllm-openai")
    assert (image.tag, image.digest) == ("v0.31.0", "sha256:ab")
    assert read("vllm/vllm-openai:v1.0.0").registry is None


def unresolved(text: str, *names: str, given: Given = Given.UNKNOWN):
    return read_image(Word(text, PLACE, tuple(Reference(name, PLACE, given) for name in names)))


def test_a_tag_without_a_value_is_unknown_and_names_the_variable():
    for image in (
        unresolved("vllm/vllm-openai:${TAG}", "TAG"),
        unresolved("vllm/vllm-openai:${TAG:-a:b@c}", "TAG"),
        unresolved("vllm/vllm-openai:", "TAG", given=Given.UNSET),
    ):
        assert (image.engine, image.version, image.moving) == ("vllm", None, False)
        assert "TAG" in image.version_evidence.text
        assert image.entrypoint == SERVE


def test_an_image_that_is_one_variable_is_unknown_not_moving():
    for text in ("${LIMPET_IMAGE}", "$LIMPET_IMAGE", ""):
        image = unresolved(text, "LIMPET_IMAGE", given=Given.UNKNOWN if text else Given.UNSET)
        assert (image.engine, image.version, image.moving, image.platform) == (None, None, False, None)
        assert "LIMPET_IMAGE" in image.version_evidence.text


def test_what_is_known_beside_a_variable_counts():
    assert unresolved("${REGISTRY}/vllm/vllm-openai:v0.31.0", "REGISTRY").version == "0.31.0"
    assert unresolved("vllm/vllm-openai:v0.31.0-${CUDA}", "CUDA").version == "0.31.0"
    assert unresolved("vllm/vllm-openai:v0.31.${PATCH}", "PATCH").version is None


def test_is_image_name():
    assert is_image_name("vllm/vllm-openai:v0.31.0")
    assert not is_image_name("--name")
    assert not is_image_name("Qwen/Qwen3.6-27B")


@settings(max_examples=200, deadline=None)
@given(st.text("abvV0123456789.:/@-_${}()rcnightlypostdev \x00", max_size=60))
def test_any_text_gives_an_image(text):
    image = read(text)
    assert not (image.moving and image.version)
    assert image.version_evidence.text
