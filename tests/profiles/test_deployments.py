"""What each deployment file starts: engine, release, image, words, speculation, as `expected.yaml` says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_qwen_mtp.engines.settings import read_settings, speculation
from pytest_qwen_mtp.profiles.load import load
from pytest_qwen_mtp.profiles.model import Command, ServeProfile

FOLDER = Path(__file__).parent / "deployments"
EXPECTED: list[dict[str, Any]] = yaml.safe_load((FOLDER / "expected.yaml").read_text(encoding="utf-8"))
# Branches that hang on the value somebody gives: the reader names the variable, and does not make a value up.
TOLD_BY_REFERENCE = {"18-bellows.sh"}


def servers(entry: dict[str, Any]) -> list[tuple[ServeProfile, dict[str, Any]]]:
    """Each server that was read beside what is expected of it, by service and position."""
    profiles = list(load([FOLDER / entry["file"]]).profiles)
    pairs = []
    for wanted in entry["services"]:
        profile = next(each for each in profiles if each.service == wanted["service"])
        profiles.remove(profile)
        pairs.append((profile, wanted))
    assert not profiles, f"read as servers, too: {[each.service for each in profiles]}"
    return pairs


def speculates(profile: ServeProfile, command: Command) -> dict[str, Any] | None:
    return speculation(read_settings(profile.engine, profile.version, command.words, command.env, profile.files))


@pytest.mark.parametrize("entry", EXPECTED, ids=lambda entry: entry["file"])
def test_engine_release_and_image(entry: dict[str, Any]) -> None:
    for profile, wanted in servers(entry):
        image = profile.image.text if profile.image else None
        found = (profile.engine, profile.version, image)
        assert found == (wanted["engine"], wanted["engine_version"], wanted["image"])
        assert [each.name for each in profile.unresolved] == wanted["unresolved"]


@pytest.mark.parametrize("entry", EXPECTED, ids=lambda entry: entry["file"])
def test_words_and_speculation(entry: dict[str, Any]) -> None:
    for profile, wanted in servers(entry):
        commands = {tuple(command.argv): command for command in profile.commands}
        assert len([each for each in profile.commands if each.when is None]) == len(
            [each for each in wanted["commands"] if each["when"] is None]
        )
        for expected in wanted["commands"]:
            if expected["when"] is not None and entry["file"] in TOLD_BY_REFERENCE:
                continue
            command = commands[tuple(expected["argv"])]
            assert (command.when is None) == (expected["when"] is None)
            assert speculates(profile, command) == expected.get("speculative", wanted["speculative"])


@pytest.mark.parametrize("entry", EXPECTED, ids=lambda entry: entry["file"])
def test_variables_that_the_process_gets(entry: dict[str, Any]) -> None:
    for profile, wanted in servers(entry):
        assert {name: word and word.text for name, word in profile.env.items()} == wanted["env"]


def test_a_default_that_ends_early_is_told_by_its_variable() -> None:
    (profile,) = load([FOLDER / "18-bellows.sh"]).profiles
    switched = next(command for command in profile.commands if command.when is not None)
    assert switched.when == "DRAFT_SETTINGS is set"
    assert switched.argv[switched.argv.index("--speculative-config") + 1] == "${DRAFT_SETTINGS}}"


def test_every_word_stands_where_its_place_says() -> None:
    """A word of plain text is found in the line and column that its place names."""
    for entry in EXPECTED:
        for profile, _ in servers(entry):
            image = profile.image.place if profile.image else None
            for word in (word for command in profile.commands for word in command.words):
                if word.references or "\n" in word.text or word.place == image:
                    continue
                line = Path(word.place.path).read_text(encoding="utf-8").split("\n")[(word.place.line or 0) - 1]
                rest = line[(word.place.column or 0) - 1 :]
                assert rest[:1] in {word.text[:1], '"', "'", "\\", "$"}, f"{word.place}: {word.text!r} is not {rest!r}"
