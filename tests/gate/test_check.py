"""What holds on a branch only is possible, and says on which."""

from __future__ import annotations

from pytest_qwen_mtp.check import from_problem, over_commands
from pytest_qwen_mtp.findings import Certainty, Finding, Place, Severity
from pytest_qwen_mtp.profiles.model import Problem


def found(rule: str = "a", line: int = 1, certainty: str = "definite", check: str = "command") -> Finding:
    place = Place("compose.yaml", line, 1)
    return Finding(rule, Severity.HIGH, Certainty(certainty), place, "it breaks", check)


def test_the_same_finding_on_every_command_is_told_once() -> None:
    assert over_commands([(None, [found()]), ("EAGER is set", [found()])]) == [found()]


def test_what_only_a_branch_meets_is_possible_there() -> None:
    (only,) = over_commands([(None, []), ("EAGER is set", [found()])])
    assert (only.certainty, only.when) == (Certainty.POSSIBLE, "EAGER is set")


def test_all_branches_of_a_file_without_a_plain_start_keep_it_definite() -> None:
    assert over_commands([("day", [found()]), ("night", [found()])]) == [found()]


def test_some_branches_of_a_file_without_a_plain_start_make_it_possible() -> None:
    (only,) = over_commands([("day", [found()]), ("night", [found()]), ("trial", [])])
    assert (only.certainty, only.when) == (Certainty.POSSIBLE, "day; or night")


def test_all_branches_but_one_of_them_unsure_is_possible() -> None:
    (only,) = over_commands([("day", [found()]), ("night", [found(certainty="possible")])])
    assert only.certainty is Certainty.POSSIBLE


def test_the_plain_start_decides_over_a_branch() -> None:
    (only,) = over_commands([("EAGER is set", [found()]), (None, [found(certainty="possible")])])
    assert (only.certainty, only.when) == (Certainty.POSSIBLE, None)


def test_a_known_bug_is_told_once_wherever_its_setting_stands() -> None:
    told = over_commands([(None, [found(line=3, check="known-bugs")]), ("x", [found(line=9, check="known-bugs")])])
    assert [each.place.line for each in told] == [3]


def test_a_rule_may_hit_two_places() -> None:
    assert len(over_commands([(None, [found(line=3), found(line=9)])])) == 2


def test_a_problem_of_a_file_is_a_definite_finding() -> None:
    problem = Problem("not-utf8", Place("a.yaml", 4, 8), "byte 0xfc is not valid UTF-8", "Save it as UTF-8.")
    finding = from_problem(problem)
    assert (finding.rule, finding.certainty, finding.check) == ("not-utf8", Certainty.DEFINITE, "profile")
    assert finding.fix is not None
    assert finding.fix.text == "Save it as UTF-8."
