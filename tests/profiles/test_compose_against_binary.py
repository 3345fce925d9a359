"""Every Compose file of the corpus and of the deployments, as the real Compose binary resolves it."""

from __future__ import annotations

from pathlib import Path

import pytest
from compose_oracle import Invocation, Refused, compose_services, our_services

from pytest_qwen_mtp.profiles.compose import DEFAULT_NAMES, resolve

HERE = Path(__file__).parent
CORPUS = sorted(path for path in (HERE / "compose_corpus").iterdir() if path.is_dir())
DEPLOYMENTS = sorted(
    path for path in (HERE / "deployments").iterdir() if any((path / name).is_file() for name in DEFAULT_NAMES)
)


def test_the_corpus_is_there() -> None:
    assert len(CORPUS) >= 55
    assert len(DEPLOYMENTS) == 16


@pytest.mark.parametrize("folder", CORPUS + DEPLOYMENTS, ids=lambda path: path.name)
def test_services_are_those_of_compose(folder: Path) -> None:
    invocation = Invocation.of_folder(folder)
    theirs = compose_services(folder, invocation.files, invocation.environment)
    project = resolve(invocation.paths(folder), invocation.environment)
    problems = [(problem.kind, str(problem.place)) for problem in project.problems]
    if invocation.refused is not None:
        assert isinstance(theirs, Refused)
        assert (invocation.refused["kind"], f"{folder}/{invocation.refused['place']}") in problems
        return
    assert not isinstance(theirs, Refused), theirs.said
    assert problems == []
    ours = our_services(project)
    if folder.name == "configs_and_secrets":  # Compose lists these apart from the volumes
        assert ours["a"].pop("mounts") == {
            "/plain": str(folder / "plain.cfg"),
            "/run/secrets/hidden": str(folder / "hidden"),
        }
        assert theirs["a"].pop("mounts") == {}
    assert ours == theirs
