"""The static reading of launch scripts, held against what real bash starts (see ``shell_oracle``)."""

from __future__ import annotations

from functools import cache

import pytest
from launch_corpus import corpus
from reading import Reading, read, unknown
from server_starts import servers
from shell_oracle import AVAILABLE, Run, Start

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="the judge of these tests is a real bash on Linux")

SCRIPTS = {script.name: script for script in corpus()}
BRANCHES = [(name, number) for name, script in SCRIPTS.items() for number in range(len(script.branches))]
CERTAIN = [name for name, script in SCRIPTS.items() if not (script.conditional or script.starts_nothing)]


@cache
def default_run(name: str) -> Run:
    script = SCRIPTS[name]
    return script.run(script.base)


@cache
def reading(name: str) -> tuple[Reading, ...]:
    return tuple(read(SCRIPTS[name].path))


def certain(name: str) -> list[Reading]:
    needy = SCRIPTS[name].needy  # what the script requires may count as a condition
    return [each for each in reading(name) if needy or each.when is None]


def shown(readings: list[Reading] | tuple[Reading, ...]) -> str:
    return "\n".join(f"  {each.argv}  when {each.when}" for each in readings) or "  nothing"


def paired(name: str) -> list[tuple[Reading, Start]]:
    """Each certain command beside the start that it predicts; what has no partner fails."""
    predicted, started = certain(name), servers(default_run(name))
    pairs = []
    for each in predicted:
        candidates = started[:1] if SCRIPTS[name].ordered else started
        start = next((start for start in candidates if each.fits(start.argv)), None)
        if start is None:
            break
        started.remove(start)
        pairs.append((each, start))
    if len(pairs) != len(predicted) or started:
        rest = "\n".join(f"  {list(start.argv)}" for start in started) or "  nothing"
        pytest.fail(f"{name}: read as certain\n{shown(predicted)}\nbut left over of what bash started\n{rest}")
    return pairs


@pytest.mark.parametrize("name", CERTAIN)
def test_certain_commands_are_what_bash_starts(name: str) -> None:
    pairs = paired(name)
    assert pairs
    lowest, highest = SCRIPTS[name].wildcards
    assert lowest <= sum(each.wildcards for each, _ in pairs) <= highest, shown([each for each, _ in pairs])


@pytest.mark.parametrize("name", CERTAIN)
def test_environment_is_what_the_engine_gets(name: str) -> None:
    for each, start in paired(name):
        given = {key: value for key, value in start.env.items() if key not in SCRIPTS[name].base.env}
        known = {key: word.text for key, word in each.env.items() if word is not None and not unknown(word)}
        known.pop("PATH", None)
        open_ended = {key for key, word in each.env.items() if word is None or unknown(word)}
        assert known == {key: value for key, value in given.items() if key not in open_ended}


@pytest.mark.parametrize("name", [name for name, script in SCRIPTS.items() if script.conditional])
def test_what_the_machine_decides_is_never_certain(name: str) -> None:
    assert shown(certain(name)) == shown([])
    for start in servers(default_run(name)):
        assert any(each.fits(start.argv) for each in reading(name)), shown(reading(name))


@pytest.mark.parametrize("name", [name for name, script in SCRIPTS.items() if script.starts_nothing])
def test_a_script_that_starts_nothing_has_no_certain_command(name: str) -> None:
    assert servers(default_run(name)) == []
    assert shown(certain(name)) == shown([])


@pytest.mark.parametrize(("name", "number"), BRANCHES, ids=[f"{name}-{number}" for name, number in BRANCHES])
def test_a_branch_is_told_with_its_condition(name: str, number: int) -> None:
    script = SCRIPTS[name]
    started = script.servers(script.branches[number])
    for start in started:
        assert any(each.fits(start.argv) for each in reading(name)), f"{start.argv} is not in\n{shown(reading(name))}"
    told = [each for each in reading(name) if each.when is not None or each.wildcards]
    assert any(each.fits(start.argv) for each in told for start in started), shown(reading(name))


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name.startswith(("config_heredoc", "heredoc_with"))])
def test_a_config_that_the_script_writes_is_seen_as_written(name: str) -> None:
    written = default_run(name).written
    for each in certain(name):
        path = each.argv[each.argv.index("--config") + 1]
        text = each.files.read(path)
        assert text is not None
        assert text.text == written[path]
