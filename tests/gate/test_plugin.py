"""Which items a command line collects, and that pytest's own options work on them."""

from __future__ import annotations

import os
import shutil

import pytest

CHECKS = ["profile", "command", "speculative", "known-bugs", "weights"]
LOST = [f"profiles/lost.yaml::lost::{check}" for check in CHECKS]
SAFE = [f"profiles/safe.yaml::qwen::{check}" for check in CHECKS]


def collected(repository: pytest.Pytester, *arguments: str) -> list[str]:
    result = repository.runpytest_inprocess("--collect-only", "-q", *arguments)
    return [line for line in result.outlines if "::" in line]


def test_alone_it_collects_the_deployment_files_and_nothing_else(repository: pytest.Pytester) -> None:
    assert collected(repository, "--mtp-profiles", "profiles") == LOST + SAFE


def test_a_single_file(repository: pytest.Pytester) -> None:
    assert collected(repository, "--mtp-profiles", "profiles/safe.yaml") == SAFE


def test_the_option_repeats(repository: pytest.Pytester) -> None:
    both = ("--mtp-profiles", "profiles/safe.yaml", "--mtp-profiles=profiles/lost.yaml")
    assert collected(repository, *both) == SAFE + LOST


def test_a_folder_and_a_file_of_it_collect_the_file_once(repository: pytest.Pytester) -> None:
    both = ("--mtp-profiles", "profiles", "--mtp-profiles=profiles/lost.yaml")
    assert collected(repository, *both) == LOST + SAFE


def test_testpaths_do_not_come_along(repository: pytest.Pytester) -> None:
    repository.makeini("[pytest]\ntestpaths = tests\n")
    assert collected(repository, "--mtp-profiles", "profiles") == LOST + SAFE
    assert collected(repository) == ["tests/test_else.py::test_else"]


def test_with_paths_both_are_collected(repository: pytest.Pytester) -> None:
    found = collected(repository, "tests", "--mtp-profiles", "profiles")
    assert found == ["tests/test_else.py::test_else", *LOST, *SAFE]


def test_with_a_path_above_both_the_tests_beside_the_files_are_asked_for(repository: pytest.Pytester) -> None:
    found = collected(repository, ".", "--mtp-profiles", "profiles")
    assert sorted(found) == sorted(
        [*LOST, *SAFE, "profiles/test_beside.py::test_beside", "tests/test_else.py::test_else"]
    )


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("profiles/lost.yaml::lost::command", LOST[1:2]),
        ("profiles/lost.yaml::lost", LOST),
        ("profiles/safe.yaml", SAFE),
    ],
)
def test_a_node_id_runs_alone(repository: pytest.Pytester, node: str, expected: list[str]) -> None:
    assert collected(repository, node, "--mtp-profiles", "profiles") == expected


def test_a_node_id_that_is_not_there_is_a_usage_error(repository: pytest.Pytester) -> None:
    result = repository.runpytest_inprocess("profiles/lost.yaml::found", "--mtp-profiles", "profiles")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_without_the_option_nothing_is_collected_by_us(repository: pytest.Pytester) -> None:
    found = collected(repository)
    assert found == ["profiles/test_beside.py::test_beside", "tests/test_else.py::test_else"]
    result = repository.runpytest_inprocess("profiles/safe.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_files_of_the_ini_file_are_checked_beside_the_tests(repository: pytest.Pytester) -> None:
    repository.makeini("[pytest]\ntestpaths = tests\nmtp_profiles = profiles\n")
    assert collected(repository) == ["tests/test_else.py::test_else", *LOST, *SAFE]
    assert collected(repository, "tests") == ["tests/test_else.py::test_else"]
    assert collected(repository, "profiles/safe.yaml") == SAFE
    assert collected(repository, "--mtp-profiles", "profiles") == LOST + SAFE


def test_ini_keys_stand_for_the_options(repository: pytest.Pytester) -> None:
    repository.makeini("[pytest]\nmtp_profiles = profiles/lost.yaml\nmtp_fail_on = critical\n")
    assert repository.runpytest_inprocess().ret == pytest.ExitCode.OK
    assert repository.runpytest_inprocess("--mtp-fail-on", "high").ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--mtp-profiles", "gone"], "gone does not exist"),
        (["--mtp-profiles", "tests"], "no file there starts an inference server"),
        (["--mtp-profiles", "profiles", "--mtp-engine-version", "nightly"], "is not a PEP 440 version"),
        (["--mtp-profiles", "profiles", "--mtp-report", "mtp.json"], "expected FORMAT=PATH"),
        (["--mtp-profiles", "profiles", "--mtp-fail-on", "bad"], "invalid choice"),
    ],
)
def test_a_command_line_that_cannot_be_meant(repository: pytest.Pytester, arguments: list[str], sentence: str) -> None:
    result = repository.runpytest_inprocess(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert sentence in result.stderr.str()
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


def test_expressions_and_markers_choose(repository: pytest.Pytester) -> None:
    assert collected(repository, "--mtp-profiles", "profiles", "-k", "lost and weights") == LOST[4:]
    assert collected(repository, "tests", "--mtp-profiles", "profiles", "-m", "mtp") == LOST + SAFE
    assert collected(repository, "tests", "--mtp-profiles", "profiles", "-m", "not mtp") == [
        "tests/test_else.py::test_else"
    ]
    assert collected(repository, "--mtp-profiles", "profiles", "--strict-markers") == LOST + SAFE


def outcomes(repository: pytest.Pytester, *arguments: str) -> dict[str, int]:
    return repository.runpytest_inprocess("--mtp-profiles", "profiles", *arguments).parseoutcomes()


def test_exitfirst_stops_at_the_first_failure(repository: pytest.Pytester) -> None:
    assert outcomes(repository) == {"passed": 7, "failed": 1, "skipped": 2}
    assert outcomes(repository, "-x") == {"passed": 1, "failed": 1}


def test_last_failed_and_failed_first(repository: pytest.Pytester) -> None:
    outcomes(repository)
    assert outcomes(repository, "--lf") == {"failed": 1, "deselected": 9}
    assert outcomes(repository, "--ff", "-x") == {"failed": 1}


def test_last_failed_elsewhere_is_not_an_empty_run(repository: pytest.Pytester) -> None:
    (repository.path / "tests" / "test_else.py").write_text("def test_else(): assert 0\n", encoding="utf-8")
    (repository.path / "profiles" / "lost.yaml").unlink()
    arguments = ("tests", "--mtp-profiles", "profiles")
    repository.runpytest_inprocess(*arguments)
    assert repository.runpytest_inprocess(*arguments, "--lf").parseoutcomes() == {"failed": 1}


def test_two_processes_tell_the_same(repository: pytest.Pytester) -> None:
    assert outcomes(repository, "-n", "2") == {"passed": 7, "failed": 1, "skipped": 2}


def test_two_processes_that_find_nothing_are_a_usage_error(repository: pytest.Pytester) -> None:
    result = repository.runpytest_inprocess("--mtp-profiles", "tests", "-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*no file there starts an inference server*"])


def test_files_outside_the_root(repository: pytest.Pytester) -> None:
    outside = repository.path.parent / f"{repository.path.name}-outside"
    shutil.copytree(repository.path / "profiles", outside)
    repository.makeini("[pytest]\n")
    found = collected(repository, "--mtp-profiles", str(outside))
    assert [node.rpartition("/")[2] for node in found] == [node.rpartition("/")[2] for node in LOST + SAFE]
    chosen = collected(repository, f"{outside}/lost.yaml::lost::command", "--mtp-profiles", str(outside))
    assert chosen == found[1:2]
    repository.runpytest_inprocess("--mtp-profiles", str(outside))
    again = repository.runpytest_inprocess("--mtp-profiles", str(outside), "--lf")
    assert again.parseoutcomes() == {"failed": 1, "deselected": 9}


def test_files_that_belong_together_are_one_node(repository: pytest.Pytester) -> None:
    base = "services: {lost: {image: 'vllm/vllm-openai:v0.32.0', command: [--model, '']}}\n"
    more = "services: {lost: {command: [--model, Qwen/Qwen3-Embedding-0.6B]}}\n"
    for name, text in (("base.yaml", base), ("more.yaml", more)):
        (repository.path / "profiles" / name).write_text(text, encoding="utf-8")
    joined = os.pathsep.join(["profiles/base.yaml", "profiles/more.yaml"])
    assert collected(repository, "--mtp-profiles", joined) == [f"profiles/base.yaml::lost::{each}" for each in CHECKS]
    assert repository.runpytest_inprocess("--mtp-profiles", "profiles/base.yaml").ret == pytest.ExitCode.TESTS_FAILED
    assert repository.runpytest_inprocess("--mtp-profiles", joined).ret == pytest.ExitCode.OK


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
def test_a_link_back_to_a_folder_above_is_not_followed(repository: pytest.Pytester) -> None:
    (repository.path / "profiles" / "again").symlink_to(repository.path / "profiles", target_is_directory=True)
    assert collected(repository, "--mtp-profiles", "profiles") == LOST + SAFE


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
def test_links_that_lead_nowhere_are_told(repository: pytest.Pytester) -> None:
    profiles = repository.path / "profiles"
    (profiles / "gone.yaml").symlink_to(profiles / "nothing-here")
    (profiles / "circle.sh").symlink_to(profiles / "circle.sh")
    result = repository.runpytest_inprocess("--mtp-profiles", "profiles", "-v")
    result.stdout.fnmatch_lines(
        ["*profiles/circle.sh: a link that leads nowhere*", "*profiles/gone.yaml: a link that leads nowhere*"]
    )


def test_a_folder_that_pytest_does_not_search_is_told(repository: pytest.Pytester) -> None:
    shutil.copytree(repository.path / "profiles", repository.path / "profiles" / "build")
    result = repository.runpytest_inprocess("--mtp-profiles", "profiles")
    result.stdout.fnmatch_lines(["*profiles/build: folder not searched*"])


def test_a_named_file_is_read_in_a_folder_that_pytest_does_not_search(repository: pytest.Pytester) -> None:
    (repository.path / "profiles" / "build").mkdir()
    (repository.path / "profiles" / "lost.yaml").rename(repository.path / "profiles" / "build" / "lost.yaml")
    both = ("--mtp-profiles", "profiles", "--mtp-profiles=profiles/build/lost.yaml")
    assert collected(repository, *both) == [node.replace("profiles", "profiles/build", 1) for node in LOST] + SAFE


def test_a_named_folder_is_searched_whatever_its_name(repository: pytest.Pytester) -> None:
    (repository.path / "profiles").rename(repository.path / "build")
    expected = [node.replace("profiles", "build", 1) for node in LOST + SAFE]
    assert collected(repository, "--mtp-profiles", "build") == expected
    beside = ["build/test_beside.py::test_beside", "tests/test_else.py::test_else"]
    assert sorted(collected(repository, ".", "--mtp-profiles", "build")) == sorted([*expected, *beside])


def test_without_the_option_nothing_of_the_gate_is_loaded(repository: pytest.Pytester) -> None:
    code = """
import sys, pytest
pytest.main(["-q", "tests"])
print(sorted(name for name in sys.modules if name.startswith(("pytest_qwen_mtp", "yaml", "jsonschema", "tree_sitter"))))
"""
    result = repository.runpython_c(code)
    names = "['pytest_qwen_mtp', 'pytest_qwen_mtp.hookspecs', 'pytest_qwen_mtp.plugin']"
    assert names in result.stdout.str()
