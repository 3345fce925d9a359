"""What an item does with its findings."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ENTRY = """\
id: vllm-999999
title: A bug of this test that nobody has
engine: vllm
severity: critical
affected:
  - introduced: "0.30.0"
    fixed: "0.32.0"
when:
  max_num_seqs: 3
symptom: Answers come back upside down.
silent: true
impact: Nobody can read them.
workarounds:
  - text: use four sequences
    set: {max_num_seqs: 4}
references: [vllm-project/vllm#999999]
evidence: confirmed
last_checked: "2026-10-01"
live: Look at the answer.
examples:
  bad:
    - {version: "0.31.0", command: vllm serve Qwen/Qwen3.6-27B --max-num-seqs 3}
  good:
    - {version: "0.32.0", command: vllm serve Qwen/Qwen3.6-27B --max-num-seqs 3}
"""
CONFTEST = """\
from pathlib import Path

def pytest_mtp_registry_folders(config):
    return [Path(__file__).parent / "registry"]
"""
COMPOSE = """\
services:
  qwen:
    image: vllm/vllm-openai:{tag}
    command:
      - --model
      - Qwen/Qwen3-Embedding-0.6B
      - --max-num-seqs
      - "3"
"""


@pytest.fixture
def server(pytester: pytest.Pytester, scrubbed: None) -> pytest.Pytester:
    """A registry folder of its own with one entry, and ``compose.yaml`` for a release that the entry hits."""
    pytester.makeini("[pytest]\n")
    pytester.makeconftest(CONFTEST)
    (pytester.mkdir("registry") / "vllm-999999.yaml").write_text(ENTRY, encoding="utf-8")
    (pytester.path / "compose.yaml").write_text(COMPOSE.format(tag="v0.31.0"), encoding="utf-8")
    return pytester


def run(server: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return server.runpytest_inprocess("--mtp-profiles", "compose.yaml", *arguments)


def test_a_known_bug_fails_its_item_and_says_what_to_change(server: pytest.Pytester) -> None:
    result = run(server, "-k", "known-bugs")
    assert result.parseoutcomes() == {"failed": 1, "deselected": 4}
    result.stdout.fnmatch_lines(
        [
            "*qwen::known-bugs*",
            "CRITICAL vllm-999999: Answers come back upside down.",
            "  --> compose.yaml:8:10",
            '  8 |       - "3"',
            "    |          ^",
            "  why:",
            "*0.31.0*",
            "*max_num_seqs*",
            "  change: use four sequences",
            "  see: https://github.com/vllm-project/vllm/issues/999999",
            "FAILED compose.yaml::qwen::known-bugs - critical vllm-999999*",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert ".py:" not in result.stdout.str()


def test_an_unknown_version_makes_it_possible_and_the_item_passes(server: pytest.Pytester) -> None:
    (server.path / "compose.yaml").write_text(COMPOSE.format(tag="latest"), encoding="utf-8")
    result = run(server, "-k", "known-bugs")
    assert result.parseoutcomes() == {"passed": 1, "deselected": 4}
    result.stdout.fnmatch_lines(["*compose.yaml:8:10: possible critical vllm-999999: Answers come back*"])
    assert run(server, "-k", "known-bugs", "--mtp-strict").parseoutcomes() == {"failed": 1, "deselected": 4}


@pytest.mark.parametrize("version", ["0.31.0", "qwen=0.31.0"])
def test_a_stated_version_decides(server: pytest.Pytester, version: str) -> None:
    (server.path / "compose.yaml").write_text(COMPOSE.format(tag="latest"), encoding="utf-8")
    result = run(server, "-k", "known-bugs", "--mtp-engine-version", version)
    assert result.parseoutcomes() == {"failed": 1, "deselected": 4}
    assert run(server, "-k", "known-bugs", "--mtp-engine-version", "0.32.0").parseoutcomes()["passed"] == 1


def test_the_version_of_another_service_does_not(server: pytest.Pytester) -> None:
    (server.path / "compose.yaml").write_text(COMPOSE.format(tag="latest"), encoding="utf-8")
    assert run(server, "-k", "known-bugs", "--mtp-engine-version", "other=0.31.0").parseoutcomes()["passed"] == 1


def test_below_the_threshold_it_is_told_and_passes(server: pytest.Pytester) -> None:
    entry = server.path / "registry" / "vllm-999999.yaml"
    entry.write_text(ENTRY.replace("critical", "medium"), encoding="utf-8")
    result = run(server, "-k", "known-bugs")
    assert result.parseoutcomes() == {"passed": 1, "deselected": 4}
    result.stdout.fnmatch_lines(["*compose.yaml:8:10: medium vllm-999999*"])
    assert run(server, "-k", "known-bugs", "--mtp-fail-on", "medium").parseoutcomes()["failed"] == 1


def test_a_checkpoint_that_is_not_here_is_skipped_with_the_reason(server: pytest.Pytester) -> None:
    result = run(server, "-k", "weights", "-rs")
    assert result.parseoutcomes() == {"skipped": 1, "deselected": 4}
    result.stdout.fnmatch_lines(["SKIPPED*Qwen/Qwen3-Embedding-0.6B: no checkpoint of this name lies on this disk"])


def test_rules_severities_and_addresses_reach_junit(server: pytest.Pytester) -> None:
    run(server, "--junitxml=junit.xml")
    cases = ElementTree.parse(server.path / "junit.xml").iter("testcase")
    (case,) = [case for case in cases if case.get("name") == "known-bugs"]
    assert [(each.get("name"), each.get("value")) for each in case.iter("property")] == [
        ("mtp.rule", "vllm-999999"),
        ("mtp.severity", "critical"),
        ("mtp.certainty", "definite"),
        ("mtp.url", "https://github.com/vllm-project/vllm/issues/999999"),
    ]
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == "critical vllm-999999: Answers come back upside down."


def test_a_passing_run_is_quiet(server: pytest.Pytester) -> None:
    (server.path / "compose.yaml").write_text(COMPOSE.format(tag="v0.32.0"), encoding="utf-8")
    result = run(server, "-q")
    assert result.outlines[1:-1] == ["qwen-mtp: 1 profile in 1 file, 1 command: no findings"]


def test_a_mistake_in_the_users_registry_is_a_usage_error(server: pytest.Pytester) -> None:
    entry = server.path / "registry" / "vllm-999999.yaml"
    entry.write_text(ENTRY.replace("severity: critical", "severity: terrible"), encoding="utf-8")
    result = run(server)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "vllm-999999.yaml:4" in result.stderr.str()


def test_a_plugin_adds_a_rule_and_a_reader(pytester: pytest.Pytester, scrubbed: None) -> None:
    pytester.makeconftest(
        """
        from pytest_qwen_mtp import Command, Loaded, Place, Problem, Rule, RULES, ServeProfile, Severity, Word
        from pytest_qwen_mtp.profiles.model import Evidence
        from dataclasses import replace

        def pytest_mtp_load_profile(paths, options):
            path = str(paths[0])
            if path.endswith(".pod"):
                place = Place(path, 1, 1)
                words = (Word("vllm", place), Word("serve", place), Word("Qwen/Qwen3-Embedding-0.6B", place))
                profile = ServeProfile(path, "pod", place, "vllm", Evidence("a pod"), None, Evidence("none"), None,
                                       (Command(words),))
                return Loaded(path, (profile,))

        def find(profile):
            yield RULE.finding(profile, profile.place, "pods are not allowed here")

        RULE = replace(RULES[0], id="no-pods", check="profile", severity=Severity.HIGH, of_profile=find,
                       of_command=None)

        def pytest_mtp_rules(config):
            return [RULE]
        """
    )
    (pytester.path / "a.pod").write_text("pod\n", encoding="utf-8")
    result = pytester.runpytest_inprocess("--mtp-profiles", ".", "-k", "profile")
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["HIGH no-pods: pods are not allowed here", "  --> a.pod:1:1"])


@pytest.mark.parametrize("name", ["tab.yaml", "list.yaml", "empty.yaml"])
def test_a_broken_file_is_one_failing_item_and_the_others_run(server: pytest.Pytester, name: str) -> None:
    texts = {"tab.yaml": "services:\n  a:\n\timage: x\n", "list.yaml": "- services\n", "empty.yaml": ""}
    folder = server.mkdir("deploy")
    (folder / name).write_text(texts[name], encoding="utf-8")
    Path(server.path / "compose.yaml").rename(folder / "compose.yaml")
    result = server.runpytest_inprocess("--mtp-profiles", "deploy", "--mtp-profiles", f"deploy/{name}")
    assert result.parseoutcomes() == {"failed": 2, "passed": 3, "skipped": 1}
    result.stdout.fnmatch_lines([f"FAILED deploy/{name}::profile - high *"])
    assert "Traceback" not in result.stdout.str()


def test_what_fails_an_item_is_printed_before_what_only_might(server: pytest.Pytester) -> None:
    """The definite high finding that fails the item heads it, although a possible critical belongs to it, too."""
    sure = ENTRY.replace("vllm-999999", "vllm-999998").replace("severity: critical", "severity: high")
    unsure = ENTRY.replace("  max_num_seqs: 3\n", "  max_num_seqs: 3\n  unseen: it rains\n")
    (server.path / "registry" / "vllm-999998.yaml").write_text(sure, encoding="utf-8")
    (server.path / "registry" / "vllm-999999.yaml").write_text(
        unsure.replace('    - {version: "0.31.0",', '    - {certainty: possible, version: "0.31.0",'), encoding="utf-8"
    )
    result = server.runpytest_inprocess("--mtp-profiles", "compose.yaml")
    text = result.stdout.str()
    assert text.index("HIGH vllm-999998: ") < text.index("CRITICAL vllm-999999 (possible)")
    result.stdout.fnmatch_lines(["FAILED compose.yaml::qwen::known-bugs - high vllm-999998*"])
