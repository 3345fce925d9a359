"""The shipped entries test themselves: examples, boundary releases, triggers, workarounds."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from commands import subject_of_example

from pytest_qwen_mtp.engines.model import Origin, Setting, Settings
from pytest_qwen_mtp.findings import Certainty, Finding, Place
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.registry.entry import Entry, Example
from pytest_qwen_mtp.registry.explain import describe
from pytest_qwen_mtp.registry.load import SHIPPED, load_registry, read_checked, read_examples
from pytest_qwen_mtp.registry.match import match
from pytest_qwen_mtp.registry.ranges import standing

REGISTRY = load_registry()
ENTRIES = [pytest.param(entry, id=entry.id) for entry in REGISTRY.entries]
EXAMPLES = {entry.id: read_examples(entry) for entry in REGISTRY.entries}
BAD = [
    pytest.param(entry, example, id=f"{entry.id}-{number}")
    for entry in REGISTRY.entries
    for number, example in enumerate(EXAMPLES[entry.id][0], 1)
]
GOOD = [
    pytest.param(entry, example, id=f"{entry.id}-{number}")
    for entry in REGISTRY.entries
    for number, example in enumerate(EXAMPLES[entry.id][1], 1)
]


def needs_speculation(entry: Entry) -> bool:
    return bool(re.search(r"^- `(mtp|speculation|speculative\.method)` is", describe(entry.when), re.M))


def find(entry: Entry, example: Example, version: str | None = None) -> Finding | None:
    subject = subject_of_example(entry.engine, example, version)
    return next((found for found in match(REGISTRY, subject) if found.rule == entry.id), None)


def test_every_file_is_an_entry() -> None:
    assert {path.stem for path in SHIPPED.iterdir()} == {entry.id for entry in REGISTRY.entries}


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_file_fits_the_schema(entry: Entry) -> None:
    errors: list[tuple[Place, str]] = []
    assert read_checked(entry.path, errors) == entry, errors


@pytest.mark.parametrize(("entry", "example"), BAD)
def test_a_bad_example_meets_the_entry(entry: Entry, example: Example) -> None:
    found = find(entry, example)
    assert found is not None
    assert found.certainty.value == example.certainty, [each.text for each in found.why if each.holds is None]


@pytest.mark.parametrize(("entry", "example"), GOOD)
def test_a_good_example_does_not(entry: Entry, example: Example) -> None:
    found = find(entry, example)
    assert found is None, found and [each.text for each in found.why]


@pytest.mark.parametrize(("entry", "example"), BAD)
def test_releases_on_both_sides_of_each_boundary(entry: Entry, example: Example) -> None:
    """Before the first release and from the fix on there is nothing to tell, whatever the command says."""
    for each in entry.affected:
        if each.introduced is not None:
            assert standing(entry.affected, each.introduced, entry.engine).holds is not False
            before = re.sub(r"(rc|\.dev).*", "", each.introduced) + "a0"
            assert find(entry, example, before) is None
        if each.fixed is not None:
            assert standing(entry.affected, f"{each.fixed}rc1", entry.engine).holds is not False
            assert find(entry, example, each.fixed) is None
            assert find(entry, example, f"{each.fixed}.post1") is None
            assert find(entry, example, f"{each.fixed}+cu129") is None


@pytest.mark.parametrize(("entry", "example"), BAD)
def test_without_a_version_it_is_possible_at_most(entry: Entry, example: Example) -> None:
    found = find(entry, replace(example, version=None))
    assert found is None or found.certainty is Certainty.POSSIBLE


@pytest.mark.parametrize(("entry", "example"), [each for each in BAD if needs_speculation(each.values[0])])
def test_without_speculation_nothing_that_needs_it_is_left(entry: Entry, example: Example) -> None:
    command = re.sub(r"(--spec\S*|-sc)(=| )('[^']*'|\S+)", "", example.command)
    assert command != example.command
    assert find(entry, replace(example, command=command)) is None


@pytest.mark.parametrize(
    ("entry", "example"), [each for each in BAD if any(change.settings for change in each.values[0].workarounds)]
)
def test_the_first_workaround_clears_it(entry: Entry, example: Example) -> None:
    changes = next(each.settings for each in entry.workarounds if each.settings)
    subject = subject_of_example(entry.engine, example)
    place = Place("fixed.sh", 1, 1)
    env = {name.removeprefix("env."): Word(value, place) for name, value in changes.items() if name.startswith("env.")}
    changed = {name: Setting(name, value, Origin.GIVEN, "the workaround", place) for name, value in changes.items()}
    known = {**subject.settings.known, **changed}
    known = {name: each for name, each in known.items() if name not in changes or changes[name] is not None}
    words = [each for each in subject.words if not each.text.startswith("--")]
    settings = Settings(entry.engine, subject.version, known)
    fixed = replace(subject, settings=settings, words=words, env={**subject.env, **env})
    assert entry.id not in {found.rule for found in match(REGISTRY, fixed)}


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_it_says_can_be_read_on_its_own(entry: Entry) -> None:
    assert entry.symptom.endswith(".")
    assert not entry.workarounds[0].text.endswith(".")
    assert entry.references or entry.sources
    named = re.findall(r"\b(?:vllm|sglang|llamacpp)-\d+\b", " ".join((entry.impact, entry.note or "", entry.symptom)))
    assert all(REGISTRY.get(name) for name in named)
