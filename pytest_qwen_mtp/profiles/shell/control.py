"""How a followed script leaves what it is doing."""

from __future__ import annotations

from pytest_qwen_mtp.profiles.shell.state import Status


class Ended(Exception):
    """The script, or the subshell, ends here with this status."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self.status = status


class Returned(Exception):
    """``return`` from a function or a sourced file, with its status."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self.status = status


class Broken(Exception):
    """``break`` or ``continue`` (``again``) out of ``levels`` loops."""

    def __init__(self, levels: int, again: bool) -> None:
        super().__init__()
        self.levels, self.again = levels, again
