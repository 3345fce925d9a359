"""Defaults of releases that are known, and of those that are not."""

from __future__ import annotations

from settings_of import settings

from pytest_qwen_mtp.engines.defaults import at_least, by_release, parsed
from pytest_qwen_mtp.engines.model import UNKNOWN, Origin

STEPS = ((None, False), ("0.28.0", True))


def test_a_default_names_its_release() -> None:
    setting = settings("vllm serve M").known["tensor_parallel_size"]
    assert (setting.value, setting.origin, setting.source) == (1, Origin.DEFAULT, "default of vLLM 0.32.0")


def test_keys_of_json_options_have_defaults_too() -> None:
    assert settings("vllm serve M").value("compilation.cudagraph_num_of_warmups") == 0
    given = settings("vllm serve M -sc.method=mtp -sc.num_speculative_tokens=1")
    assert given.value("speculative.disable_padded_drafter_batch") is False
    assert settings("vllm serve M").value("speculative.disable_padded_drafter_batch") is None


def test_a_default_that_never_changed_is_believed_without_a_release() -> None:
    setting = settings("vllm serve M", None).known["tensor_parallel_size"]
    assert setting.value == 1
    assert "0.10.2 to 0.33.0" in setting.source


def test_a_default_that_changed_is_unknown_and_says_how() -> None:
    setting = settings("sglang serve --model-path M", None, engine="sglang").known["schedule_conservativeness"]
    assert setting.value == 1.0
    changed = settings("vllm serve M", "0.30.0").known["prefix_cache_retention_interval"]
    assert changed.origin is Origin.DEFAULT


def test_steps_by_release() -> None:
    assert by_release("0.27.1", STEPS) == (False, "off before 0.28.0")
    assert by_release("0.28.0", STEPS) == (True, "on from 0.28.0 on")
    assert by_release("0.28.1rc1.dev43", STEPS)[0] is True
    assert by_release("0.28.0rc1", STEPS)[0] is False
    assert by_release(None, STEPS)[0] is UNKNOWN
    assert by_release(None, ((None, 1), ("2.0", 1)))[0] == 1


def test_a_build_without_a_number_is_no_release() -> None:
    assert parsed("0.0.0.dev1+gd91c3682b") is None
    assert parsed("nightly") is None
    assert at_least(None, "0.1") is None
    assert at_least("0.5.14.post1", "0.5.14") is True
