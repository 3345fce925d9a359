"""llama.cpp's server: flags, variables, preset files."""

from __future__ import annotations

from typing import Any

from settings_of import settings

from pytest_qwen_mtp.engines.model import UNKNOWN, Settings
from pytest_qwen_mtp.engines.settings import speculation
from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.text import SourceText


def read(command: str, **more: Any) -> Settings:
    return settings(command, "11434", engine="llamacpp", **more)


def test_flags_by_any_of_their_names() -> None:
    found = read(
        "/app/llama-server -m /g/Qwen3.6-27B.gguf -ngl 99 -np 2 -fa on --no-mmap --jinja"
        " --spec_type draft-mtp --draft-max=3"
    )
    assert found.value("model") == "/g/Qwen3.6-27B.gguf"
    assert (found.value("n_gpu_layers"), found.value("parallel"), found.value("flash_attn")) == (99, 2, "on")
    assert (found.value("mmap"), found.value("jinja")) == (False, True)
    assert speculation(found) == {"method": "draft-mtp", "k": 3}


def test_variables_count_where_the_flag_is_not_given() -> None:
    env = {"LLAMA_ARG_MODEL": "/g/a.gguf", "LLAMA_ARG_SPEC_TYPE": "draft-mtp", "LLAMA_ARG_SPEC_DRAFT_N_MAX": "2"}
    assert speculation(read("llama-server", env=env)) == {"method": "draft-mtp", "k": 2}
    assert read("llama-server", env=env).value("model") == "/g/a.gguf"
    assert speculation(read("llama-server --spec-draft-n-max 4", env=env)) == {"method": "draft-mtp", "k": 4}
    assert read("llama-server", env={"LLAMA_ARG_N_PARALLEL": None}).value("parallel") is UNKNOWN


PRESETS = """\
version = 1
; for all
[*]
c = 32768

[ash]
model = /g/a.gguf
; spec-type = draft-mtp

[oak]
model = /g/b.gguf
spec-type = draft-mtp
LLAMA_ARG_SPEC_DRAFT_N_MAX = 2
"""


def test_a_preset_file_and_the_model_that_drafts() -> None:
    files = FileView().with_written("/p.ini", SourceText.of_file(PRESETS, "p.ini"))
    found = read("llama-server --models-preset /p.ini", files=files)
    assert speculation(found) == {"method": "draft-mtp", "k": 2}
    assert found.value("model") == "/g/b.gguf"
    assert found.value("preset.ash.model") == "/g/a.gguf"
    assert found.value("preset.oak.ctx_size") == 32768
    assert found.known["spec_type"].place == Place("p.ini", 12, 1)


def test_a_preset_file_that_cannot_be_read_leaves_everything_open() -> None:
    found = read("llama-server --models-preset /p.ini")
    assert found.value("speculative.method") is UNKNOWN
    assert speculation(found) is None
