"""The other blocks of the pages are what they are shown as: profiles, entries, workflows, ini files, plugins."""

from __future__ import annotations

import inspect
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import subject_of_example
from pages import ROOT, Block, blocks

import pytest_qwen_mtp.hookspecs
from pytest_qwen_mtp.profiles.load import load
from pytest_qwen_mtp.registry.load import load_registry, read_examples
from pytest_qwen_mtp.registry.match import match

KINDS = {"bash", "console", "text", "yaml", "toml", "python", "json"}
WORKFLOW = ROOT / "examples" / "github" / "mtp-gate.yml"


def of(kind: str, *, key: str | None = None, mark: str | None = None) -> list[Block]:
    """Blocks of one kind, with a key at the top of their YAML, or with a mark."""
    found = [block for block in blocks(kind) if mark is None or mark in block.marks]
    return [block for block in found if key is None or key in yaml.safe_load(block.text)]


def test_every_block_says_what_it_is() -> None:
    unmarked = [str(block) for block in blocks() if block.kind not in KINDS and "benchmarks" not in block.page.parts]
    assert unmarked == []


def test_every_yaml_block_is_checked_as_something() -> None:
    known = [*of("yaml", key="services"), *of("yaml", key="when"), *of("yaml", key="jobs"), *of("yaml", mark="native")]
    assert {str(block) for block in blocks("yaml")} == {str(block) for block in known}


@pytest.mark.parametrize("block", [*of("yaml", key="services"), *of("yaml", mark="native")], ids=str)
def test_a_profile_is_read_without_a_problem(block: Block, tmp_path: Path) -> None:
    path = tmp_path / ("server.mtp.yaml" if "native" in block.marks else "compose.yaml")
    path.write_text(block.text, encoding="utf-8")
    loaded = load([path])
    assert loaded.problems == ()
    (profile,) = loaded.profiles
    assert profile.version == "0.26.0"
    assert profile.stated["gpu"] == "h100"


@pytest.mark.parametrize("block", of("yaml", key="when"), ids=str)
def test_an_entry_loads_and_its_examples_bear_it_out(block: Block, tmp_path: Path) -> None:
    name = yaml.safe_load(block.text)["id"]
    (tmp_path / f"{name}.yaml").write_text(block.text, encoding="utf-8")
    registry = load_registry([tmp_path])
    entry = registry.get(name)
    assert entry is not None

    def certainty(example: Any) -> str | None:
        found = match(registry, subject_of_example(entry.engine, example))
        return next((str(each.certainty) for each in found if each.rule == name), None)

    bad, good = read_examples(entry)
    assert [certainty(example) for example in bad] == [example.certainty for example in bad]
    assert [certainty(example) for example in good] == [None for _ in good]


def test_the_workflow_of_the_page_is_the_file() -> None:
    (block,) = of("yaml", key="jobs")
    assert block.text == WORKFLOW.read_text(encoding="utf-8")


def test_the_workflow_may_only_read_and_runs_the_gate(desk: pytest.Pytester) -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    (command,) = [step["run"] for step in job["steps"] if step.get("run", "").startswith("pytest ")]
    (desk.path / "deploy").symlink_to(desk.path / "examples" / "profiles" / "clean")
    assert desk.runpytest_inprocess(*shlex.split(command)[1:]).ret == pytest.ExitCode.OK
    uploaded = next(step["with"]["path"] for step in job["steps"] if step.get("uses", "").startswith("actions/upload"))
    assert len(list(desk.path.glob(uploaded))) == 2


@pytest.mark.parametrize("block", of("toml", mark="ini"), ids=str)
def test_an_ini_file_holds_keys_that_the_plugin_takes(block: Block, desk: pytest.Pytester) -> None:
    assert "pytest" in tomllib.loads(block.text)["tool"]
    desk.makepyprojecttoml(block.text)
    (desk.path / "examples" / "profiles" / "unpinned").rename(desk.path / "deploy")
    result = desk.runpytest_inprocess("--strict-config", "deploy")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["CRITICAL vllm-43559: *"])


@pytest.mark.parametrize("block", of("python", mark="conftest"), ids=str)
def test_a_conftest_implements_hooks_with_their_own_arguments(block: Block) -> None:
    names: dict[str, Any] = {"__file__": str(ROOT / "conftest.py")}
    exec(compile(block.text, str(block), "exec"), names)
    hooks = {name: value for name, value in names.items() if name.startswith("pytest_")}
    assert hooks
    for name, hook in hooks.items():
        known = inspect.signature(getattr(pytest_qwen_mtp.hookspecs, name)).parameters
        assert set(inspect.signature(hook).parameters) <= set(known)
        assert hook(config=None) == [ROOT / "known-bugs"]


def test_no_python_block_is_left_out() -> None:
    assert [str(block) for block in blocks("python", "json", "toml") if not block.marks] == []
