"""More cards are asked for than the file gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_qwen_mtp.engines.model import UNKNOWN, Settings
from pytest_qwen_mtp.findings import Finding, Place, Reason, Severity
from pytest_qwen_mtp.profiles.image import read_image
from pytest_qwen_mtp.profiles.model import Command, ServeProfile, Word
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  Tensor-parallel size times pipeline-parallel size times data-parallel size is larger than the number of cards that the
  file reserves (deploy, gpus, --gpus) or shows to the process (CUDA_VISIBLE_DEVICES and its kin).

Whom it hits
  Files that were copied from a larger machine, or whose cards were shared out anew.

How to see it
  The server ends before it loads the weights, or waits for workers that never come.

What to change
  Lower the parallel sizes, or give the service as many cards as they need.
"""
_SIZES: Mapping[str, tuple[str, ...]] = {
    "vllm": ("tensor_parallel_size", "pipeline_parallel_size", "prefill_context_parallel_size", "data_parallel_size"),
    "sglang": ("tp_size", "pp_size", "dp_size"),
}
_VISIBLE = (
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "ASCEND_RT_VISIBLE_DEVICES",
)


def find(profile: ServeProfile, command: Command, settings: Settings) -> Iterator[Finding]:
    """At most one finding: at the largest size, where both the need and the supply are known."""
    needed = _needed(settings)
    if needed is None or needed[0] == 1:
        return
    supply = _supply(profile, command)
    if supply is None or needed[0] <= supply[0]:
        return
    image = profile.base or profile.image
    if profile.stated.get("platform") == "cpu" or (image is not None and read_image(image).platform == "cpu"):
        return  # there the ranks are sockets, not cards
    count, said, place = needed
    yield RULE.finding(
        profile,
        place or command.place or profile.place,
        f"the server does not start: it needs {count} cards and is given {supply[0]}",
        why=(Reason(said, place=place), Reason(supply[1], place=supply[2])),
        fix=f"give it {count} cards, or let the sizes multiply to {supply[0]} at most",
    )


def _needed(settings: Settings) -> tuple[int, str, Place | None] | None:
    """How many cards of one machine the sizes ask for, in words, and the place of the largest; None if not known."""
    known = settings.known
    if settings.value("distributed_executor_backend") == "ray" or settings.value("data_parallel_backend") == "ray":
        return None  # the cards may stand in several machines
    product, parts, largest, place = 1, [], 1, None
    for name in _SIZES.get(settings.engine, ()):
        setting = known.get(name)
        value = setting.value if setting is not None else None
        if name == "data_parallel_size":
            local = known.get("data_parallel_size_local")
            if local is not None and local.value is not None:
                setting, value = local, local.value
            elif settings.value("data_parallel_rank") not in (None, UNKNOWN):
                value = 1
        if name == "dp_size" and settings.value("enable_dp_attention") is True:
            continue  # the ranks then share the cards of the tensor-parallel group
        if value is UNKNOWN:
            return None
        if not isinstance(value, int) or value <= 1 or setting is None:
            continue
        product *= value
        parts.append(f"{name} is {value}")
        if value > largest:
            largest, place = value, setting.place
    nodes = settings.value("nnodes")
    if isinstance(nodes, int) and nodes > 1:
        product //= nodes
        parts.append(f"over {nodes} machines")
    return product, ", ".join(parts), place


def _supply(profile: ServeProfile, command: Command) -> tuple[int, str, Place | None] | None:
    """How many cards the process sees, why, and where that is said: the smallest number of all that say one."""
    found: list[tuple[int, str, Place | None]] = []
    if profile.gpus is not None:
        found.append((profile.gpus, f"the file reserves {_cards(profile.gpus)}", profile.place))
    env = command.env or profile.env
    for name in _VISIBLE:
        word = env.get(name)
        count = None if word is None else _visible(word)
        if word is not None and count is not None:
            found.append((count, f"{name}={word.text} shows {_cards(count)}", word.place))
    return min(found, key=lambda each: each[0]) if found else None


def _visible(word: Word) -> int | None:
    names = [each.strip() for each in word.text.split(",")]
    if word.unresolved or not all(names) or names[0].lower() in ("all", "none", "void", "-1"):
        return None
    return len(names)


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


RULE = Rule(
    id="gpu-count-mismatch",
    severity=Severity.HIGH,
    check="command",
    title="More cards are asked for than the file gives",
    doc=DOC,
    examples=Examples(
        bad=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [Qwen/Qwen3.6-27B, --tensor-parallel-size, "4"]
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 2, capabilities: [gpu]}]}}}
""",
            """\
services:
  qwen:
    image: lmsysorg/sglang:v0.5.23-cu130
    environment: {CUDA_VISIBLE_DEVICES: "0"}
    command: [python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3.6-27B, --tp-size, "2"]
""",
        ),
        good=(
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    command: [Qwen/Qwen3.6-27B, --tensor-parallel-size, "4"]
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, capabilities: [gpu]}]}}}
""",
            """\
services:
  qwen:
    image: vllm/vllm-openai:v0.32.0
    environment: {CUDA_VISIBLE_DEVICES: "0,1"}
    command: [Qwen/Qwen3.6-27B, --tensor-parallel-size, "2"]
""",
        ),
    ),
    of_command=find,
)
