"""Image reference → engine, release, platform and what the image starts by itself.

A tag is read by a grammar of its own (`vLLM <https://docs.vllm.ai/en/stable/deployment/docker/>`_, SGLang's
``docker/`` folder, llama.cpp's ``docs/docker.md``). Only the official repositories and mirrors that keep their path
name a release; a private rebuild or a product has a version of its own, from which the engine's does not follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from pytest_qwen_mtp.profiles.model import Engine, Evidence, Word

Platform = Literal["cuda", "rocm", "cpu", "xpu", "ascend", "tpu"]


@dataclass(frozen=True, slots=True)
class Image:
    """What an image reference says.

    ``registry`` is None where the reference names none (Docker Hub then). ``version`` is a PEP 440 text (llama.cpp: the
    build number) or None, with the reason in ``version_evidence``. ``moving``: the same reference gives another build
    next week. ``entrypoint``: the words that the image starts by itself; ``()`` none, None unknown.
    """

    word: Word
    registry: str | None
    repository: str
    tag: str | None
    digest: str | None
    engine: Engine | None
    version: str | None
    version_evidence: Evidence
    moving: bool
    platform: Platform | None
    entrypoint: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class _Known:
    """A published repository: whose it is, what its tags mean, what it starts."""

    engine: Engine
    tags: Literal["release", "llamacpp", "amd", "product", "commit"]
    platform: Platform | None
    entrypoint: tuple[str, ...] | None


_VLLM_SERVE: Final = ("vllm", "serve")

# Entry points: vLLM docker/Dockerfile*, last stage; SGLang docker/Dockerfile (none); llama.cpp .devops/*.Dockerfile.
# NVIDIA's and AMD's images run the given words through a start script of their own, which amounts to none.
_KNOWN: Final[dict[str, _Known]] = {
    "vllm/vllm-openai": _Known("vllm", "release", "cuda", _VLLM_SERVE),
    "vllm/vllm-openai-rocm": _Known("vllm", "release", "rocm", _VLLM_SERVE),
    "vllm/vllm-openai-cpu": _Known("vllm", "release", "cpu", _VLLM_SERVE),
    "vllm/vllm-openai-xpu": _Known("vllm", "release", "xpu", _VLLM_SERVE),
    "vllm/vllm-tpu": _Known("vllm", "release", "tpu", ()),
    "q9t5s3a7/vllm-release-repo": _Known("vllm", "release", "cuda", _VLLM_SERVE),
    "q9t5s3a7/vllm-ci-postmerge-repo": _Known("vllm", "commit", "cuda", None),
    "q9t5s3a7/vllm-ci-test-repo": _Known("vllm", "commit", "cuda", None),
    "q9t5s3a7/vllm-cpu-release-repo": _Known("vllm", "release", "cpu", _VLLM_SERVE),
    "q9t5s3a7/vllm-arm64-cpu-release-repo": _Known("vllm", "release", "cpu", _VLLM_SERVE),
    "rocm/vllm": _Known("vllm", "amd", "rocm", ()),
    "rocm/vllm-dev": _Known("vllm", "product", "rocm", ()),
    "ascend/vllm-ascend": _Known("vllm", "product", "ascend", ()),
    "nvidia/vllm": _Known("vllm", "product", "cuda", ()),
    "nvidia/ai-dynamo/vllm-runtime": _Known("vllm", "product", "cuda", ()),
    "lmcache/vllm-openai": _Known("vllm", "product", "cuda", _VLLM_SERVE),
    "lmsysorg/sglang": _Known("sglang", "release", "cuda", ()),
    "lmsysorg/sglang-rocm": _Known("sglang", "release", "rocm", ()),
    "rocm/sgl-dev": _Known("sglang", "release", "rocm", ()),
    "nvidia/sglang": _Known("sglang", "product", "cuda", ()),
    "nvidia/ai-dynamo/sglang-runtime": _Known("sglang", "product", "cuda", ()),
    "ggml-org/llama.cpp": _Known("llamacpp", "llamacpp", None, None),
    "ggerganov/llama.cpp": _Known("llamacpp", "llamacpp", None, None),
}

_MASK: Final = "\x00"
_REFERENCE = re.compile(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\$\([^()]*\)|\$[A-Za-z_]\w*|\{\{[^{}]*\}\}|\{\w+\}")
_RELEASE = re.compile(r"v?(\d+\.\d+\.\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.?post\d+)?(?:\.dev\d+)?)(?=$|[-_\x00])", re.I)
_SERIES = re.compile(r"v?\d+\.\d+(?=$|[-_])", re.I)
_AMD_RELEASE = re.compile(r"(?:^|_)vllm_(\d+\.\d+\.\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?)(?=$|[-_])")
_BUILD = re.compile(r"(?:^|-)b(\d{3,})(?=$|-)")
_COMMIT = re.compile(r"g?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}")
_DATE = re.compile(r"20\d{2}(?:[01]\d){1}(?:[0-3]\d)(?:\d{2,6})?|20\d{2}\.\d{1,2}(?:\.\d{1,2})?")
_VARIANT = re.compile(
    r"cu\d*|cuda\d*(?:\.\d+)*|rocm\d*(?:\.\d+)*|mi\d+x?|gfx\w+|sm\d+\w?|amd64|arm64|aarch64|cpu|gpu|xpu|npu|tpu|hpu|gaudi\d?"
    r"|vulkan|musa|intel|sycl|openvino|cann\d*(?:\.\w+)*|910\w?|310p|a[23]|xeon|py\d*(?:\.\d+)*|ubuntu\d*(?:\.\d+)*|debian\d*|rhel\d*"
    r"|runtime|openai|server|full|light|slim|base|gb?[hb]?\d00|spark|thor|ec2|sagemaker|soci|openeuler|linux|x86"
)
_MOVING: Final = re.compile(
    r"latest|nightly|main|master|trunk|dev|devel|develop|edge|head|rolling|canary|snapshot|unstable|stable|testing"
    r"|current|preview"
)
_NO_ENGINE = re.compile(
    r"router|gateway|proxy|litellm|web-?ui|exporter|bench|operator|controller|scheduler|dashboard|playground|prometheus"
    r"|grafana|client|llama-swap|llama-cpp-python|openllm|loadtest|chat-?ui|-ui$|docs"
)
_ENGINES: Final[tuple[tuple[re.Pattern[str], Engine], ...]] = (
    (re.compile(r"(?<![a-z0-9])vllm(?![a-z])|(?<=[-_])vllm"), "vllm"),
    (re.compile(r"(?<![a-z0-9])(?:sglang|sgl)(?![a-z])"), "sglang"),
    (re.compile(r"llama[._-]?cpp|llama[_-]server"), "llamacpp"),
)
_PLATFORMS: Final[tuple[tuple[re.Pattern[str], Platform], ...]] = (
    (re.compile(r"(?<![a-z])(?:rocm|gfx|mi\d{2,3}x|mi\d{3})"), "rocm"),
    (re.compile(r"ascend|(?<![a-z])(?:npu|cann\d|910\w?|310p)"), "ascend"),
    (re.compile(r"(?<![a-z])(?:xpu|intel|sycl)(?![a-z])"), "xpu"),
    (re.compile(r"(?<![a-z])tpu(?![a-z])"), "tpu"),
    (re.compile(r"(?<![a-z])(?:cpu|xeon)(?![a-z])"), "cpu"),
    (re.compile(r"(?<![a-z])(?:cu\d{2,3}|cuda)"), "cuda"),
)


def read_image(word: Word) -> Image:
    """What ``word`` (``[registry/]repository[:tag][@digest]``) says about the engine inside. Never raises."""
    if not word.references:
        return _bind(word, _read(word.text, ()))
    return _bind(word, _read(word.text, tuple(reference.name for reference in word.unresolved)))


def is_image_name(text: str) -> bool:
    """Whether ``text`` can be an image of a known engine by its name alone."""
    return not text.startswith("-") and _read(text, ()).engine is not None


@dataclass(frozen=True, slots=True)
class _Parts:
    registry: str | None
    repository: str
    tag: str | None
    digest: str | None
    engine: Engine | None
    version: str | None
    reason: str
    moving: bool
    platform: Platform | None
    entrypoint: tuple[str, ...] | None


def _bind(word: Word, parts: _Parts) -> Image:
    return Image(
        word,
        parts.registry,
        parts.repository,
        parts.tag,
        parts.digest,
        parts.engine,
        parts.version,
        Evidence(parts.reason, word.place),
        parts.moving,
        parts.platform,
        parts.entrypoint,
    )


@lru_cache(maxsize=512)
def _read(text: str, unresolved: tuple[str, ...]) -> _Parts:
    # References that stay in the text may hold `:` and `@` of their own: they are masked while it is taken apart.
    masked = _REFERENCE.sub(lambda match: _MASK * len(match[0]), text)
    rest, at, digest = masked.partition("@")
    slash = rest.rfind("/")
    colon = rest.find(":", slash + 1)
    name = rest if colon < 0 else rest[:colon]
    tag = None if colon < 0 else rest[colon + 1 :]
    registry, path = _registry(name)
    known = _known(path)
    engine = known.engine if known else _engine_of(path)
    shown_tag = None if colon < 0 else text[colon + 1 : len(rest)]
    version, reason, moving = _version(text, name, known, tag, shown_tag, bool(at), unresolved)
    entrypoint = known.entrypoint if known else None
    if known is not None and known.tags == "llamacpp" and tag:
        entrypoint = _llamacpp_entrypoint(tag)
    start = len(name) - len(path)
    return _Parts(
        registry,
        text[start : len(name)],
        shown_tag,
        text[len(rest) + 1 :] if digest else None,
        engine,
        version,
        reason,
        moving,
        _platform(known, path, tag or ""),
        entrypoint,
    )


def _registry(name: str) -> tuple[str | None, str]:
    """The registry host (Docker's rule: a first part with a dot, a port, or ``localhost``) and the path."""
    first, slash, path = name.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost" or _MASK in first):
        return (None if _MASK in first else first), path
    return None, name


def _known(path: str) -> _Known | None:
    """The published repository whose path ``path`` is, or keeps as its end (a mirror)."""
    parts = path.split("/")
    for start in range(len(parts)):
        known = _KNOWN.get("/".join(parts[start:]))
        if known is not None:
            return known
    return None


def _engine_of(path: str) -> Engine | None:
    """The engine that the repository's own name speaks of. Routers, clients and dashboards are none."""
    name = path.rpartition("/")[2].lower()
    if _NO_ENGINE.search(name):
        return None
    return next((engine for pattern, engine in _ENGINES if pattern.search(name)), None)


def _version(
    text: str,
    name: str,
    known: _Known | None,
    tag: str | None,
    shown: str | None,
    digest: bool,
    unresolved: tuple[str, ...],
) -> tuple[str | None, str, bool]:
    """Version, the reason for it or for not knowing it, and whether the reference moves."""
    open_names = ", ".join(unresolved)
    if tag is None:
        if not name.strip(_MASK) or name.endswith(_MASK):
            return None, f"image {text!r}: {open_names or 'a variable'} has no value", False
        if digest:
            return None, "a bare digest names no release", False
        return None, "no tag at all, which means latest", True
    if tag == "" or tag.strip(_MASK) == "" or (known is not None and tag.startswith(_MASK)):
        return None, f"the tag comes from {open_names or 'a variable'}, which has no value", False
    words = _words(tag)
    moving = not digest and _moves(tag, words, known)
    if known is None or known.tags == "product":
        if moving:
            return None, f"tag {shown} moves and names no release", True
        kind = "a product version of its own" if known else "a version of the image's own"
        return None, f"tag {shown} is {kind}, from which the engine's does not follow", False
    version = _release(known, tag, words)
    if version is not None:
        return version, f"image tag {shown}", False
    if moving:
        return None, f"tag {shown} moves and names no release", True
    if any(_COMMIT.fullmatch(word) for word in words):
        return None, f"tag {shown} is a commit build; its release is not in the name", False
    if _RELEASE.match(tag):
        return None, f"tag {shown} is a build beside the release it names", False
    return None, f"tag {shown} names no release", False


def _words(tag: str) -> list[str]:
    return [word for word in re.split(r"[-_]+", tag.lower().replace("x86_64", "amd64")) if word]


def _release(known: _Known, tag: str, words: list[str]) -> str | None:
    if known.tags == "llamacpp":
        build = _BUILD.search(tag)
        return build[1] if build else None
    if known.tags == "amd":
        named = _AMD_RELEASE.search(tag)
        return named[1] if named else None
    if known.tags == "commit":
        return None
    release = _RELEASE.match(tag)
    if release is None:
        return None
    # A word that is no platform means another build than the release: a date, a commit, a patch.
    rest = _words(tag[release.end() :])
    if any(_MASK not in word and not _VARIANT.fullmatch(word) for word in rest):
        return None
    return release[1].lower().replace(".post", "post").replace("post", ".post")


def _moves(tag: str, words: list[str], known: _Known | None) -> bool:
    """Whether the publisher puts a new build under the same tag."""
    if any(_COMMIT.fullmatch(word) or _DATE.fullmatch(word) for word in words):
        return False
    if any(_MOVING.fullmatch(word) for word in words):
        return True
    if known is not None and known.tags == "llamacpp":
        return not _BUILD.search(tag) and words[0] in ("server", "full", "light")
    if known is not None and known.tags == "release" and _SERIES.match(tag):
        return True
    return all(_VARIANT.fullmatch(word) for word in words)


def _llamacpp_entrypoint(tag: str) -> tuple[str, ...] | None:
    # llama.cpp .devops/cuda.Dockerfile and its siblings, stages server, light and full.
    kind = _words(tag)[:1]
    return {"server": ("/app/llama-server",), "light": ("/app/llama-cli",), "full": ("/app/tools.sh",)}.get(
        kind[0] if kind else ""
    )


def _platform(known: _Known | None, path: str, tag: str) -> Platform | None:
    name = f"{path.lower()}:{tag.lower()}"
    for pattern, platform in _PLATFORMS:
        if pattern.search(name):
            return platform
    if known is not None and known.tags == "llamacpp":
        # A build without a word for a backend is the plain CPU build.
        kind, *rest = _words(tag) or [""]
        plain = kind in ("server", "full", "light") and all(_BUILD.match(word) for word in rest)
        return "cpu" if plain else None
    return known.platform if known is not None else None
