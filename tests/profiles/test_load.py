"""Which files of a folder are deployment files, and of which kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_qwen_mtp.profiles.load import LoadOptions, kind_of, load

SERVICE = "services:\n  a:\n    image: vllm/vllm-openai:v0.31.0\n    command: [m]\n"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("compose.yaml", SERVICE, "compose"),
        ("docker-compose.prod.yml", "x: 1\n", "compose"),
        ("stack.yaml", SERVICE, "compose"),
        ("stack.yaml", "include: [a.yaml]\n", "compose"),
        ("prometheus.yaml", "scrape_configs: []\n", None),
        ("empty.yaml", "", "compose"),
        ("picture.yaml", "\x89PNG\0", "compose"),
        ("list.yaml", "- image: vllm/vllm-openai:v0.31.0\n", "compose"),
        ("playbook.yaml", "- hosts: all\n", None),
        ("qwen.mtp.yaml", "engine: vllm\n", "native"),
        ("start.sh", "vllm serve m\n", "shell"),
        ("backup.sh", "tar c .\n", None),
        ("start", "#!/bin/bash\nvllm serve m\n", "shell"),
        ("notes", "vllm serve m\n", None),
        ("pod.yaml", "apiVersion: v1\nkind: Pod\nspec: {image: vllm/vllm-openai}\n", "unread"),
        ("qwen.service", "[Service]\nExecStart=/usr/bin/vllm serve m\n", "unread"),
        ("README.md", "vllm serve m\n", None),
    ],
)
def test_kinds(tmp_path: Path, name: str, text: str, kind: str | None) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert kind_of(tmp_path / name) == kind


def test_an_override_belongs_to_its_base(tmp_path: Path) -> None:
    (tmp_path / "compose.override.yaml").write_text(SERVICE, encoding="utf-8")
    assert kind_of(tmp_path / "compose.override.yaml") == "compose"
    (tmp_path / "compose.yaml").write_text(SERVICE, encoding="utf-8")
    assert kind_of(tmp_path / "compose.override.yaml") is None


def test_a_script_that_an_image_copies_is_read_with_the_image(tmp_path: Path) -> None:
    (tmp_path / "start.sh").write_text("vllm serve m\n", encoding="utf-8")
    (tmp_path / "Dockerfile").write_text("FROM vllm/vllm-openai:v0.31.0\nCOPY start.sh /\n", encoding="utf-8")
    assert kind_of(tmp_path / "start.sh") is None


def test_a_kind_that_is_not_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text("apiVersion: v1\nkind: Pod\nspec: {image: vllm/vllm-openai}\n", encoding="utf-8")
    (seen,) = load([path]).not_seen
    assert seen.what == "a Kubernetes manifest; this kind of file is not read yet"


def test_a_release_is_stated_for_one_service_before_all(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(
        "services:\n  a: {image: vllm/vllm-openai, command: [m]}\n  b: {image: vllm/vllm-openai}\n", "utf-8"
    )
    options = LoadOptions(engine_versions={None: "0.31.0", "b": "0.32.0"})
    assert {profile.service: profile.version for profile in load([path], options).profiles} == {
        "a": "0.31.0",
        "b": "0.32.0",
    }


def test_a_release_is_stated_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(
        "x-qwen-mtp: {engine-version: 0.30.0}\nservices:\n  a: {image: corp/llm:7, command: [vllm, serve, m]}\n",
        "utf-8",
    )
    (profile,) = load([path]).profiles
    assert (profile.version, profile.version_evidence.text) == ("0.30.0", "x-qwen-mtp states engine-version 0.30.0")


def test_a_switch_of_compose_gives_a_command_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(
        "services:\n  a:\n    image: vllm/vllm-openai:v0.31.0\n    command: m ${EAGER:+--enforce-eager}\n", "utf-8"
    )
    (profile,) = load([path]).profiles
    assert [(command.argv[2:], command.when) for command in profile.commands] == [
        (["m"], None),
        (["m", "--enforce-eager"], "EAGER is set when Compose reads the file"),
    ]


def test_a_profile_that_is_not_active_is_a_condition(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(SERVICE + "    profiles: [later]\n", encoding="utf-8")
    (profile,) = load([path]).profiles
    assert [command.when for command in profile.commands] == ['profile "later" is active']
