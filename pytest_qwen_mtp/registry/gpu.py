"""What a GPU is called: its own name, its architecture, its compute capability."""

from __future__ import annotations

# Compute capabilities as NVIDIA's CUDA documentation lists them; the names are the ones reports use.
_GPU_FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("sm_80 ampere", ("a100", "a800", "a30")),
    ("sm_86 ampere", ("3060", "3070", "3080", "3090", "a5000", "a6000", "a10", "a40")),
    ("sm_87 ampere", ("orin",)),
    ("sm_89 ada", ("4060", "4070", "4080", "4090", "l4", "l40", "l40s")),
    ("sm_90 hopper", ("h100", "h200", "h20", "h800", "gh200")),
    ("sm_100 blackwell", ("b200", "gb200")),
    ("sm_103 blackwell", ("b300", "gb300")),
    ("sm_110 blackwell", ("thor",)),
    ("sm_120 blackwell", ("5060", "5070", "5080", "5090", "pro-4500", "pro-5000", "pro-6000")),
    ("sm_121 blackwell", ("gb10", "dgx-spark", "spark")),
    ("rocm", ("mi250", "mi250x", "mi300x", "mi300a", "mi325x", "mi350x", "mi355x")),
)


def gpu_names(name: str) -> frozenset[str]:
    """All names that a GPU goes by: its own, its architecture's (``hopper``) and its capability (``sm_90``)."""
    plain = name.strip().lower().replace(" ", "-").replace("_", "-").removeprefix("nvidia-").removeprefix("geforce-")
    parts = set(plain.split("-"))
    names = {plain, plain.removeprefix("rtx-"), name.strip().lower()}
    for families, members in _GPU_FAMILIES:
        if any(each in parts or each in plain for each in members if each in parts or "-" in each):
            names.update(families.split())
            if "sm_121" in families:
                names.add("gb10")
    return frozenset(names)
