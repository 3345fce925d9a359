"""Following a script along all the ways it could take.

A run meets *decisions* (a condition that the files cannot settle) and leaves *suggestions* (a value of an outside
variable that would take another way). ``explore`` repeats the run from the start with other decisions and values;
the runs are short, and nothing has to be copied or undone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pytest_qwen_mtp.findings import Place

Result = TypeVar("Result")
OTHER = None
"""The value of an input of which only this is assumed: it is not empty, and the script does not mention it."""
MAX_RUNS = 48
"""Runs for the undecidable conditions of one start."""
MAX_SUGGESTIONS = 24
"""Outside values tried for one start."""
MAX_STEPS = 10_000
"""Commands followed for one start, over all its runs."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One undecided condition: the texts of its options and which was taken."""

    options: tuple[str, ...]
    taken: int
    place: Place


@dataclass(slots=True)
class Decisions:
    """What one run decides: ``script`` are the options to take first, ``inputs`` the outside values to assume."""

    script: Sequence[int] = ()
    inputs: Mapping[str, str | None] = field(default_factory=dict)
    made: list[Decision] = field(default_factory=list)
    suggestions: dict[tuple[str, str | None], str] = field(default_factory=dict)
    steps: int = 0
    """Commands that the run followed."""

    def choose(self, options: Sequence[str], place: Place) -> int:
        """The index of the option to take here."""
        index = len(self.made)
        taken = self.script[index] if index < len(self.script) else 0
        self.made.append(Decision(tuple(options), taken, place))
        return taken

    def suggest(self, name: str, value: str | None, text: str) -> None:
        """Another way would be taken if the outside variable ``name`` were ``value``; ``text`` says so.

        Where a value is assumed already, only others for the same variable are taken up.
        """
        if (not self.inputs or name in self.inputs) and len(self.suggestions) < MAX_SUGGESTIONS:
            self.suggestions.setdefault((name, value), text)


@dataclass(frozen=True, slots=True)
class Way(Generic[Result]):
    """What one way gives. ``when`` is None where it is taken with nothing set."""

    result: Result
    when: str | None


@dataclass(frozen=True, slots=True)
class Explored(Generic[Result]):
    """``complete`` False: there were more ways than the limit; the rest was not followed."""

    ways: tuple[Way[Result], ...]
    complete: bool


def explore(
    run: Callable[[Decisions], Result], key: Callable[[Result], Hashable | None], suggestions: bool = True
) -> Explored[Result]:
    """All ways of ``run``. ``key`` tells results apart; None means that nothing starts that way.

    Ways that start nothing are dropped where another starts something, and so are conditions that make no difference.
    """
    spent = Steps()
    base, found, complete = _decided(run, key, {}, spent)
    ways = list(base)
    known = {key(way.result) for way in ways}
    started = any(key(way.result) is not None for way in ways)
    grouped: dict[Hashable, tuple[Result, list[str]]] = {}
    waiting = list(found.items()) if suggestions else []
    for (name, value), text in waiting:
        if spent.number >= MAX_STEPS:
            complete = False
            break
        other, more, all_of_it = _decided(run, key, {name: value}, spent)
        complete = complete and all_of_it
        waiting.extend(each for each in more.items() if each[0] not in found)
        found.update(more)
        if len(found) > MAX_SUGGESTIONS:
            complete, waiting[:] = False, waiting[:MAX_SUGGESTIONS]
        for way in other:
            result = key(way.result)
            if result is None or result in known:
                continue
            when = text if way.when is None else f"{text}, and {way.when}"
            grouped.setdefault(result, (way.result, []))[1].append(when)
    for kept, texts in grouped.values():
        # What starts only when something is set, and then in one way, is what the file starts.
        needed = not started and len(grouped) == 1
        ways.append(Way(kept, None if needed else _either(texts)))
    if started or grouped:
        ways = [way for way in ways if key(way.result) is not None] or ways
    return Explored(tuple(ways), complete)


@dataclass(slots=True)
class Steps:
    """The commands followed so far."""

    number: int = 0


def _decided(
    run: Callable[[Decisions], Result],
    key: Callable[[Result], Hashable | None],
    inputs: Mapping[str, str | None],
    spent: Steps,
) -> tuple[list[Way[Result]], dict[tuple[str, str | None], str], bool]:
    """The ways with ``inputs`` assumed, and the suggestions met on them."""
    waiting: list[tuple[int, ...]] = [()]
    ends: list[tuple[Result, list[Decision]]] = []
    found: dict[tuple[str, str | None], str] = {}
    while waiting and len(ends) < MAX_RUNS and (not ends or spent.number < MAX_STEPS):
        script = waiting.pop(0)
        decisions = Decisions(script, inputs)
        result = run(decisions)
        spent.number += decisions.steps
        ends.append((result, decisions.made))
        for wanted, text in decisions.suggestions.items():
            found.setdefault(wanted, text)
        for index in range(len(script), len(decisions.made)):
            taken = tuple(decision.taken for decision in decisions.made[:index])
            waiting.extend((*taken, option) for option in range(1, len(decisions.made[index].options)))
    alive = [(result, made) for result, made in ends if key(result) is not None] or ends[:1]
    groups: dict[Hashable, list[tuple[Result, list[Decision]]]] = {}
    for result, made in alive:
        groups.setdefault(key(result), []).append((result, made))
    if len(groups) == 1:
        return [Way(alive[0][0], None)], found, not waiting
    everywhere = _common([made for _, made in alive])
    ways = []
    for members in groups.values():
        texts = [" and ".join(dict.fromkeys(_texts(made, everywhere))) or "otherwise" for made in _shortened(members)]
        ways.append(Way(members[0][0], _either(texts)))
    return ways, found, not waiting


def _shortened(members: list[tuple[Result, list[Decision]]]) -> list[list[Decision]]:
    """The members' decisions; only what they share where that already tells them from nothing else."""
    shared = _common([made for _, made in members])
    if len(members) > 1 and shared:
        return [[decision for decision in members[0][1] if (decision.place, decision.taken) in shared]]
    return [made for _, made in members]


def _common(all_made: list[list[Decision]]) -> set[tuple[Place, int]]:
    sets = [{(decision.place, decision.taken) for decision in made} for made in all_made]
    return set.intersection(*sets) if sets else set()


def _texts(made: list[Decision], everywhere: set[tuple[Place, int]]) -> list[str]:
    return [decision.options[decision.taken] for decision in made if (decision.place, decision.taken) not in everywhere]


def _either(texts: Sequence[str]) -> str:
    unique = list(dict.fromkeys(texts))
    return " or ".join(unique[:4]) + (f" or {len(unique) - 4} more" if len(unique) > 4 else "")
