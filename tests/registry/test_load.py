"""Loading: the shipped entries, own folders, and errors with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_qwen_mtp.registry.load import RegistryError, load_registry, read_examples

ENTRY = """\
id: vllm-99999
title: A test entry that stands for nothing
engine: vllm
severity: high
affected:
  - introduced: "0.28.0"
when:
  mtp: true
symptom: Something is wrong with the server of this test.
silent: false
impact: Nobody is hit by it, it is a test.
workarounds:
  - text: do nothing
references: [vllm-project/vllm#99999]
evidence: one reporter
last_checked: 2026-11-30
live: nothing to see
examples:
  bad:
    - {version: "0.28.0", command: vllm serve x}
  good:
    - {version: "0.28.0", command: vllm serve y}
"""


def write(folder: Path, text: str = ENTRY, name: str = "vllm-99999.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def errors(folder: Path) -> list[tuple[str, int | None, str]]:
    with pytest.raises(RegistryError) as caught:
        load_registry([folder])
    return [(Path(place.path).name, place.line, message) for place, message in caught.value.errors]


def test_shipped_entries_by_id_and_alias() -> None:
    registry = load_registry()
    for alias, entry in {
        "L457": "vllm-mamba-cache-mode-all",
        "TQ-40831": "vllm-40831",
        "tq-40880": "vllm-40831",
        "NGRAM-40875": "vllm-40875",
        "vllm-43559": "vllm-43559",
    }.items():
        found = registry.get(alias)
        assert found is not None
        assert found.id == entry
    assert registry.get("vllm-00000") is None
    assert registry.date == max(entry.last_checked for entry in registry.entries)


def test_no_two_entries_share_a_name() -> None:
    names = [name.casefold() for name in load_registry().names]
    assert len(names) == len(set(names))


def test_an_own_folder_adds_to_the_shipped_entries(tmp_path: Path) -> None:
    write(tmp_path)
    registry = load_registry([tmp_path])
    entry = registry.get("vllm-99999")
    assert entry is not None
    assert entry.last_checked == "2026-11-30"
    assert len(registry.entries) == len(load_registry().entries) + 1
    bad, good = read_examples(entry)
    assert (bad[0].command, good[0].command) == ("vllm serve x", "vllm serve y")


def test_a_shipped_entry_is_replaced_only_by_name(tmp_path: Path) -> None:
    text = ENTRY.replace("vllm-99999\n", "vllm-43559\n", 1)
    write(tmp_path, text, "vllm-43559.yaml")
    assert errors(tmp_path) == [
        (
            "vllm-43559.yaml",
            None,
            'the id vllm-43559 is a shipped entry; to replace it, write "overrides: [vllm-43559]"',
        )
    ]
    write(tmp_path, f"{text}overrides: [vllm-43559]\n", "vllm-43559.yaml")
    registry = load_registry([tmp_path])
    entry = registry.get("vllm-43559")
    assert entry is not None
    assert entry.title.startswith("A test entry")
    assert len(registry.entries) == len(load_registry().entries)


def test_an_own_entry_silences_a_shipped_one_by_name(tmp_path: Path) -> None:
    write(tmp_path, f"{ENTRY}overrides: [vllm-43559]\n")
    registry = load_registry([tmp_path])
    assert registry.get("vllm-43559") is None
    assert registry.get("vllm-99999") is not None


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("severity: high", "severity: fatal", 4, "severity: 'fatal' is not one of"),
        ('introduced: "0.28.0"', "introduced: 0.28", 6, "affected.0.introduced: 0.28 is not of type 'string'"),
        ("  mtp: true", "  mtp: {gven: true}", 8, "expected given: true, given: false, like: PATTERN"),
        ("silent: false", "silent: maybe", 10, "silent: 'maybe' is not of type 'boolean'"),
        ("silent: false\n", "", 1, "'silent' is a required property"),
        ("live: nothing", "lives: nothing", 1, "'live' is a required property"),
        ("references: [vllm-project/vllm#99999]", "references: [99999]", 14, "references.0"),
        ("id: vllm-99999", "id: vllm-99998", 1, "the two must agree"),
        ('  good:\n    - {version: "0.28.0", command: vllm serve y}\n', "  good: []\n", 21, "examples.good"),
        ("title:", "title: [", 3, "is not YAML"),
        ("symptom:", "\tsymptom:", 9, "is not YAML"),
    ],
)
def test_errors_name_file_line_and_key(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    assert old in ENTRY
    write(tmp_path, ENTRY.replace(old, new, 1))
    found = errors(tmp_path)
    assert any(error[:2] == ("vllm-99999.yaml", line) and said in error[2] for error in found), found


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words", "{", "\x00", "a: &a [*a, *a]"])
def test_what_is_no_entry_is_an_error_and_no_traceback(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    assert errors(tmp_path)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "vllm-99999.yaml").write_bytes(b"\xff\xfe\x00id")
    assert "cannot be read" in errors(tmp_path)[0][2]


def test_a_folder_that_is_not_there_or_empty(tmp_path: Path) -> None:
    assert "no such folder" in errors(tmp_path / "nowhere")[0][2]
    assert "no *.yaml file" in errors(tmp_path)[0][2]


def test_overriding_what_does_not_exist(tmp_path: Path) -> None:
    write(tmp_path, f"{ENTRY}overrides: [vllm-00000]\n")
    assert errors(tmp_path) == [("vllm-99999.yaml", None, "overrides names vllm-00000, which is no entry")]


def test_every_error_of_every_file_is_told(tmp_path: Path) -> None:
    write(tmp_path, ENTRY.replace("severity: high", "severity: fatal").replace("silent: false", "silent: 1"))
    write(tmp_path, ENTRY.replace("engine: vllm", "engine: tgi"), "vllm-99998.yaml")
    assert len({(name, line) for name, line, _ in errors(tmp_path)}) == 3
