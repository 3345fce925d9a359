"""What a GPU is called: its own name, its architecture, its compute capability."""

from __future__ import annotations

# Compute capabilities as NVIDIA's CUDA documentation lists them; the names are the ones reports use.
_CLASSES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("sm_75", "turing"), ("t4", "2060", "2070", "2080", "2080ti")),
    (("sm_80", "ampere"), ("a100", "a800", "a30")),
    (("sm_86", "ampere"), ("3060", "3070", "3080", "3090", "a2000", "a4000", "a5000", "a6000", "a10", "a10g", "a40")),
    (("sm_87", "ampere"), ("orin",)),
    (("sm_89", "ada"), ("4060", "4070", "4080", "4090", "l4", "l40", "l40s", "6000-ada")),
    (("sm_90", "hopper"), ("h100", "h200", "h20", "h800", "gh200")),
    (("sm_100", "blackwell"), ("b200", "gb200")),
    (("sm_103", "blackwell"), ("b300", "gb300")),
    (("sm_110", "blackwell"), ("thor",)),
    (("sm_120", "blackwell"), ("5060", "5070", "5080", "5090", "pro-4000", "pro-4500", "pro-5000", "pro-6000")),
    (("sm_121", "blackwell", "gb10"), ("gb10", "spark")),
    (("rocm", "cdna"), ("mi250", "mi250x", "mi300x", "mi300a", "mi325x", "mi350x", "mi355x")),
    (("metal", "apple"), ("m1", "m2", "m3", "m4", "m5")),
    (("ascend",), ("310p", "310p3", "910b", "910c")),
)


def gpu_names(name: str) -> frozenset[str] | None:
    """All names that a GPU goes by, its class's (``hopper``, ``sm_90``) included; None where its class is not known."""
    plain = name.strip().lower().replace(" ", "-").removeprefix("nvidia-").removeprefix("geforce-")
    words = f"-{plain}-".replace("_", "-")
    found = [
        classes
        for classes, members in _CLASSES
        if plain in classes or any(f"-{each}-" in words for each in (*members, classes[0].replace("_", "-")))
    ]
    if len(found) != 1:  # "blackwell" alone is several capabilities
        return None
    return frozenset((plain, plain.removeprefix("rtx-"), *found[0]))
