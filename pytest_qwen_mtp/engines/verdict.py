"""Whether a command starts: what the problems of its settings come to."""

from __future__ import annotations

from typing import Literal

from pytest_qwen_mtp.engines.model import Settings

Verdict = Literal["starts", "parse error", "config error"]


def verdict(settings: Settings) -> Verdict:
    """What the release does with the command: its parser ends it, its config ends it, or it goes on to load the model.

    "starts" is all that the words alone can tell: the machine, the weights and the network may still stop it.
    """
    stages = {problem.stage for problem in settings.problems}
    if "parser" in stages:
        return "parse error"
    return "config error" if "config" in stages else "starts"
