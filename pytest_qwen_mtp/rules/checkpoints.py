"""What can be wrong with a checkpoint. ``weights.py`` finds these; here is what each means."""

from __future__ import annotations

from pytest_qwen_mtp.rules.page import Page

CHECKPOINTS: dict[str, Page] = {
    each.id: each
    for each in (
        Page(
            "checkpoint-unreadable",
            "The checkpoint contradicts itself",
            "A file of the checkpoint is cut short, or its header promises what the file does not hold.",
            "Every engine: the weights do not load.",
            "The engine stops while it loads the weights.",
            "Download the checkpoint again and compare its checksums.",
        ),
        Page(
            "mtp-head-absent",
            "MTP is asked for and the checkpoint has no MTP head",
            "No tensor of the checkpoint is named mtp.*, but the command speculates with the model's own head.",
            "Fine-tuned and merged checkpoints (training tools drop the head), and quantised ones made without it.",
            "The engine stops while the drafter loads, or no drafted token is ever accepted.",
            "Take a checkpoint that carries the mtp.* tensors, or turn speculation off.",
        ),
        Page(
            "mtp-head-stub",
            "The checkpoint's MTP head is not whole",
            "Some mtp.* tensors are there, but not all that a working head needs.",
            "Quantised and converted checkpoints whose tool knew only a part of the head.",
            "The engine stops while the drafter loads, or the acceptance rate is near zero.",
            "Take the mtp.* tensors of the base model, or turn speculation off.",
        ),
        Page(
            "mtp-head-undeclared",
            "config.json does not say how deep the MTP head is",
            "The checkpoint carries an MTP head that its config.json does not declare, and the command gives no k.",
            "Quantised builds whose config.json lost mtp_num_hidden_layers.",
            "The engine asks for the number of speculative tokens, or loads no head.",
            'Give the number of speculative tokens, or put "mtp_num_hidden_layers" into config.json.',
        ),
    )
}
"""By id: the rule ids of the findings of ``weights.py``."""
