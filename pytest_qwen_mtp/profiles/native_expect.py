"""The ``expect`` block: what the live checks hold a running server to. The same block stands in ``x-qwen-mtp``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from yaml.nodes import MappingNode, Node, ScalarNode

from pytest_qwen_mtp.profiles.excerpt import excerpt
from pytest_qwen_mtp.profiles.scalars import value_of


@dataclass(frozen=True, slots=True)
class Expectation:
    """One figure: its unit in words, whole or not, and its bounds (inclusive)."""

    unit: str
    whole: bool = False
    low: float = 0
    high: float = math.inf

    def __str__(self) -> str:
        bounds = f"from {self.low:g} on" if math.isinf(self.high) else f"from {self.low:g} to {self.high:g}"
        return f"a {'whole ' if self.whole else ''}number {bounds} ({self.unit})"


FIGURES: Final[Mapping[str, Expectation]] = {
    "acceptance-floor": Expectation("share of drafted tokens accepted", high=1),
    "acceptance-length-floor": Expectation("tokens per engine step", low=1),
    "window": Expectation("tokens of the context window", whole=True, low=1),
    "k": Expectation("speculative tokens", whole=True),
    "decode-floor": Expectation("tokens per second of one stream"),
    "prefill-floor": Expectation("prompt tokens per second"),
    "ttft-ceiling": Expectation("seconds to the first token"),
}
TOLERANCES: Final = ("acceptance", "decode", "prefill", "ttft")
_TOLERANCE: Final = Expectation("share by which a run may be worse than its baseline", high=1)
_TEXTS: Final = ("method",)
_ALL: Final = (*FIGURES, *_TEXTS, "tolerance")

Wrong = Callable[[Node, str, str], None]


def read_expect(node: Node, where: str, wrong: Wrong) -> dict[str, Any]:
    """The expectations by key: numbers, ``method`` as text, ``tolerance`` as a share by figure."""
    if not isinstance(node, MappingNode):
        wrong(node, f"{where}: expected figure → value", f"Give one of {', '.join(_ALL)}.")
        return {}
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, ScalarNode) else "(no text)"
        here = f"{where}.{excerpt(str(name))}"
        if name in FIGURES:
            _put(found, name, _number(value, here, FIGURES[name], wrong))
        elif name in _TEXTS:
            text = value_of(value) if isinstance(value, ScalarNode) else None
            if isinstance(text, str) and text:
                found[name] = text
            else:
                wrong(value, f"{here}: expected the name of a speculative method", "Write it as text, such as `mtp`.")
        elif name == "tolerance":
            _put(found, name, _tolerance(value, here, wrong))
        else:
            near = get_close_matches(str(name), _ALL, 1)
            wrong(
                key,
                f"{here}: unknown expectation; expected one of {', '.join(_ALL)}",
                f"Write `{near[0]}`." if near else "Remove it.",
            )
    return found


def _put(found: dict[str, Any], name: str, value: Any) -> None:
    if value is not None:
        found[name] = value


def _tolerance(node: Node, where: str, wrong: Wrong) -> dict[str, float] | None:
    """One share for all figures, or one for each."""
    if not isinstance(node, MappingNode):
        share = _number(node, where, _TOLERANCE, wrong)
        return None if share is None else dict.fromkeys(TOLERANCES, share)
    found: dict[str, float] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, ScalarNode) else "(no text)"
        if name in TOLERANCES:
            _put(found, name, _number(value, f"{where}.{name}", _TOLERANCE, wrong))
        else:
            message = f"{where}.{excerpt(str(name))}: unknown figure; expected one of {', '.join(TOLERANCES)}"
            wrong(key, message, "Name one of them.")
    return found


def _number(node: Node, where: str, figure: Expectation, wrong: Wrong) -> float | None:
    value = value_of(node) if isinstance(node, ScalarNode) else None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and figure.whole and isinstance(value, float) and not value.is_integer():
        number = False
    if not number or not isinstance(value, int | float) or not figure.low <= value <= figure.high or math.isinf(value):
        shown = repr(excerpt(node.value)) if isinstance(node, ScalarNode) and node.value else "no number"
        wrong(node, f"{where}: expected {figure}, found {shown}", "Write a plain number.")
        return None
    return int(value) if figure.whole else value
