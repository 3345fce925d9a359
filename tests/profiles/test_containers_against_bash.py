"""The static reading of Compose files with wrappers, held against the real Compose binary and real bash."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from container_oracle import resolve, started
from launch_corpus import read_script
from reading import Reading, read, unknown
from shell_oracle import AVAILABLE, Start

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="the judge of these tests is a real bash on Linux")

FOLDER = Path(__file__).parent / "container_corpus"
FILES = {path.parent.name: path for path in sorted(FOLDER.glob("*/compose.yaml"))}
BRANCHES = [(name, number) for name, path in FILES.items() for number in range(len(read_script(path).branches))]
every_file = pytest.mark.parametrize("name", FILES)


@cache
def servers(name: str) -> dict[str, list[Start]]:
    """The real starts of each service that is a server, with nothing set."""
    services = resolve(FILES[name], {})
    return {service: starts for service, each in services.items() if (starts := started(each))}


@cache
def readings(name: str, service: str) -> tuple[Reading, ...]:
    return tuple(read(FILES[name], service))


def certain(name: str, service: str) -> list[Reading]:
    return [each for each in readings(name, service) if each.when is None]


@every_file
def test_every_file_starts_a_server(name: str) -> None:
    assert servers(name)


@every_file
def test_certain_commands_are_what_the_container_starts(name: str) -> None:
    for service, starts in servers(name).items():
        assert [each.argv for each in certain(name, service)] == [list(start.argv) for start in starts], service


@every_file
def test_environment_is_what_the_engine_gets(name: str) -> None:
    for service, starts in servers(name).items():
        for each, start in zip(certain(name, service), starts, strict=True):
            known = {key: word.text for key, word in each.env.items() if word is not None and not unknown(word)}
            assert known == start.env, service


@pytest.mark.parametrize(("name", "number"), BRANCHES)
def test_a_branch_is_told_with_its_condition(name: str, number: int) -> None:
    setting = read_script(FILES[name]).branches[number]
    for service, each in resolve(FILES[name], setting.env).items():
        told = [reading for reading in readings(name, service) if reading.when is not None]
        for start in started(each):
            assert any(reading.fits(start.argv) for reading in told), [reading.argv for reading in told]


def test_services_that_serve_nothing_are_not_taken_for_servers() -> None:
    assert list(servers("waits_for_neighbour")) == ["primary", "secondary"]
    assert readings("waits_for_neighbour", "proxy") == ()
