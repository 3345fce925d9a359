"""A change is written in the form of its place, in every form, and nothing else in the file is touched."""

from __future__ import annotations

import difflib
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from forms import FORMS, YAML, Groups, name_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_up import AFTER, BEFORE, FLAG, GONE, KEY, NEW, VALUE, fixed

from pytest_qwen_mtp.profiles.load import load
from pytest_qwen_mtp.reports.fixes import diff_of

CHANGES = {"flag": FLAG, "value": VALUE, "gone": GONE, "key": KEY, "new": NEW}
FORM = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)


def argv_of(path: Path) -> list[str]:
    (profile,) = load([path]).profiles
    (command,) = profile.commands
    return command.argv


def patched(path: Path, new: str) -> None:
    """Applies the diff with ``patch``, as a reader of the output would."""
    with path.open(encoding="utf-8", newline="") as file:
        old = file.read()
    diff, whole = diff_of(old, new, path.name)
    assert whole
    done = subprocess.run(
        ["patch", "--binary", "-p0", "-s"], input=diff.encode(), cwd=path.parent, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode() + diff
    assert path.read_bytes().decode() == new


@FORM
@pytest.mark.parametrize("change", CHANGES)
def test_one_change(form: Callable[[Groups], str], change: str, tmp_path: Path) -> None:
    path = tmp_path / name_of(form)
    text = form(list(BEFORE.values()))
    path.write_text(text, encoding="utf-8")
    before = argv_of(path)
    result = fixed(path, CHANGES[change])
    (server,) = result.servers
    assert [each.by_hand for each in server.changes] == [None]
    assert server.left == ()
    patched(path, result.texts[path])
    gone, come = Counter(BEFORE.get(change, [])), Counter(AFTER[change])
    assert Counter(argv_of(path)) == Counter(before) - (gone - come) + (come - gone)


@pytest.mark.parametrize(
    ("form", "newline"),
    [(form, newline) for newline in ("\n", "\r\n") for form in (FORMS if newline == "\n" else YAML)],
    ids=lambda each: each.__name__ if callable(each) else repr(each),
)
def test_all_changes_at_once(form: Callable[[Groups], str], newline: str, tmp_path: Path) -> None:
    path = tmp_path / name_of(form)
    text = form(list(BEFORE.values())).replace("\n", newline)
    path.write_bytes(text.encode())
    before = argv_of(path)
    result = fixed(path, *CHANGES.values())
    (server,) = result.servers
    assert {each.by_hand for each in server.changes} == {None}
    assert len(server.changes) == len(CHANGES)
    new = result.texts[path]
    assert new.count("\n") == new.count(newline)
    patched(path, new)
    start = before[: len(before) - sum(map(len, BEFORE.values()))]
    assert sorted(argv_of(path)) == sorted([*start, *(word for group in AFTER.values() for word in group)])


OPTIONS = st.permutations([group for name, group in BEFORE.items() if name != "model"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    form=st.sampled_from(FORMS),
    order=OPTIONS,
    left_out=st.integers(0, 3),
    changes=st.sets(st.sampled_from(sorted(CHANGES)), min_size=1),
)
def test_the_other_words_stay(
    form: Callable[[Groups], str], order: Groups, left_out: int, changes: set[str], tmp_path: Path
) -> None:
    groups = [BEFORE["model"], *order[left_out:]]
    path = tmp_path / name_of(form)
    path.write_text(form(groups), encoding="utf-8")
    old = path.read_text(encoding="utf-8")
    before = argv_of(path)
    result = fixed(path, *(CHANGES[each] for each in changes))
    (server,) = result.servers
    assert {each.by_hand for each in server.changes} <= {None}
    wanted = Counter(before)
    for change in changes:
        here = change == "new" or BEFORE[change] in groups
        if not here and change != "flag":
            continue
        wanted = wanted - Counter(BEFORE.get(change, []) if here else []) + Counter(AFTER[change])
    if "flag" in changes and BEFORE["flag"] not in groups and server.changes == ():
        wanted -= Counter(AFTER["flag"])
    if result.texts:
        patched(path, result.texts[path])
    assert Counter(argv_of(path)) == wanted, path.read_text(encoding="utf-8")
    lines = [line for line in difflib.ndiff(old.splitlines(), path.read_text("utf-8").splitlines()) if line[0] in "-+"]
    assert not any("kept" in line for line in lines)
