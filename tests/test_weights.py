"""Does a checkpoint carry an MTP head? Checkpoints are written here, header by header, with hardly a byte of data."""

from __future__ import annotations

import contextlib
import json
import math
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_qwen_mtp.findings import Certainty, Place, Severity
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.safetensors_header import BadHeader, NotHere, Tensor, read_header
from pytest_qwen_mtp.weights import INDEX, Verdict, check_weights

HIDDEN = 8
MTP = {"method": "mtp", "k": 3}
BODY = {"model.embed_tokens.weight": (16, HIDDEN), "lm_head.weight": (16, HIDDEN), "model.norm.weight": (HIDDEN,)}
HEAD = {
    "mtp.fc.weight": (HIDDEN, 2 * HIDDEN),
    "mtp.norm.weight": (HIDDEN,),
    "mtp.pre_fc_norm_hidden.weight": (HIDDEN,),
    "mtp.pre_fc_norm_embedding.weight": (HIDDEN,),
    "mtp.layers.0.input_layernorm.weight": (HIDDEN,),
    "mtp.layers.0.self_attn.q_proj.weight": (HIDDEN, HIDDEN),
    "mtp.layers.0.mlp.up_proj.weight": (HIDDEN, HIDDEN),
}
CONFIG = {"model_type": "qwen3_5_text", "hidden_size": HIDDEN, "mtp_num_hidden_layers": 1}


def packed(tensors: dict[str, tuple[int, ...]], dtype: str = "BF16") -> bytes:
    """A sound safetensors file with these tensors, all zero."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name, shape in tensors.items():
        size = 2 * math.prod(shape)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(offset)


def write(folder: Path, tensors: dict[str, tuple[int, ...]], config: dict | None = None) -> Path:
    (folder / "config.json").write_text(json.dumps(CONFIG if config is None else config))
    (folder / "model.safetensors").write_bytes(packed(tensors))
    return folder


def write_sharded(folder: Path, shards: dict[str, dict[str, tuple[int, ...]]], config: dict | None = None) -> Path:
    (folder / "config.json").write_text(json.dumps(CONFIG if config is None else config))
    weight_map = {name: file for file, tensors in shards.items() for name in tensors}
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    for file, tensors in shards.items():
        (folder / file).write_bytes(packed(tensors))
    return folder


def check(path: Path, speculation: dict | None = MTP):
    return check_weights(Word(str(path), Place("compose.yaml", 7, 9)), speculation)


def test_a_real_head(tmp_path):
    result = check(write(tmp_path, BODY | HEAD))
    assert (result.verdict, result.tensors, result.layers, result.declared) == (Verdict.REAL, 7, 1, 1)
    assert (result.reason, result.findings, result.dtypes) == (None, (), ("BF16",))
    assert result.place == Place(str(tmp_path / "model.safetensors"))
    assert result.facts == {"mtp": "real", "mtp_layers": 1, "declared_layers": 1, "quant_method": None}


def test_a_head_below_another_prefix_and_a_nested_config(tmp_path):
    head = {f"language_model.{name}": shape for name, shape in HEAD.items()}
    config = {"model_type": "qwen3_5", "text_config": CONFIG}
    assert check(write(tmp_path, BODY | head, config)).verdict is Verdict.REAL


def test_an_undeclared_head_works_where_the_number_of_tokens_is_given(tmp_path):
    config = {key: value for key, value in CONFIG.items() if "mtp" not in key}
    folder = write(tmp_path, BODY | HEAD, config)
    assert (check(folder).verdict, check(folder).findings) == (Verdict.UNDECLARED, ())
    (finding,) = check(folder, {"method": "mtp", "k": None}).findings
    assert (finding.rule, finding.severity) == ("mtp-head-undeclared", Severity.MEDIUM)


def test_no_head_is_critical_where_the_method_needs_it(tmp_path):
    result = check(write(tmp_path, BODY))
    (finding,) = result.findings
    assert result.verdict is Verdict.ABSENT
    assert (finding.rule, finding.severity, finding.certainty) == (
        "mtp-head-absent",
        Severity.CRITICAL,
        Certainty.DEFINITE,
    )
    assert (finding.place, finding.check) == (Place("compose.yaml", 7, 9), "weights")
    assert finding.why[0].place == Place(str(tmp_path / "model.safetensors"))
    assert "none of 3 tensors is mtp.*" in finding.why[0].text


def test_no_head_in_a_quantised_checkpoint_is_silent_and_slow(tmp_path):
    folder = write(tmp_path, BODY, CONFIG | {"quantization_config": {"quant_method": "awq"}})
    (finding,) = check(folder).findings
    assert finding.severity is Severity.HIGH
    assert "awq" in finding.message
    assert "accepts nothing" in finding.message


@pytest.mark.parametrize("speculation", [None, {"method": "ngram", "k": 3}, {"method": "draft_model", "k": 3}])
def test_no_head_matters_to_nobody_else(tmp_path, speculation):
    result = check(write(tmp_path, BODY), speculation)
    assert (result.verdict, result.findings) == (Verdict.ABSENT, ())


def test_eagle_may_mean_the_own_head(tmp_path):
    (finding,) = check(write(tmp_path, BODY), {"method": "EAGLE", "k": 3}).findings
    assert finding.certainty is Certainty.POSSIBLE
    (finding,) = check(tmp_path, {"method": "NEXTN", "k": 3}).findings
    assert finding.certainty is Certainty.DEFINITE


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ({"mtp.norm.weight": (HIDDEN,)}, "no fc, pre_fc_norm_hidden, pre_fc_norm_embedding, layers"),
        ({name: shape for name, shape in HEAD.items() if ".mlp." not in name}, "no layers.0.mlp"),
        (HEAD | {"mtp.fc.weight": (1, 1)}, "fc.weight has the shape [1, 1] where [8, 16] is expected"),
        (HEAD | {"mtp.layers.0.mlp.up_proj.weight": (0, HIDDEN)}, "layers.0.mlp.up_proj.weight is empty"),
        (HEAD | {"mtp.layers.1.mlp.up_proj.weight": (HIDDEN, HIDDEN)}, "no layers.1.self_attn"),
    ],
)
def test_a_stub(tmp_path, head, says):
    result = check(write(tmp_path, BODY | head))
    (finding,) = result.findings
    assert (result.verdict, finding.rule) == (Verdict.STUB, "mtp-head-stub")
    assert says in result.detail
    assert says in finding.message


def test_quantised_tensors_are_no_stub(tmp_path):
    head = {name.replace(".weight", ".weight_packed"): shape for name, shape in HEAD.items()}
    assert check(write(tmp_path, BODY | head)).verdict is Verdict.REAL


def test_another_architecture_is_not_judged_by_qwens_parts(tmp_path):
    config = {"model_type": "somebody_else", "num_nextn_predict_layers": 1}
    assert check(write(tmp_path, {"model.mtp.odd.weight": (2, 2)}, config)).verdict is Verdict.REAL


def test_only_the_shards_of_the_head_are_read(tmp_path):
    write_sharded(tmp_path, {"a.safetensors": BODY, "b.safetensors": HEAD})
    (tmp_path / "a.safetensors").unlink()
    result = check(tmp_path)
    assert (result.verdict, result.place) == (Verdict.REAL, Place(str(tmp_path / INDEX)))


def test_several_files_without_an_index(tmp_path):
    write(tmp_path, BODY)
    (tmp_path / "mtp.safetensors").write_bytes(packed(HEAD))
    assert check(tmp_path).verdict is Verdict.REAL


def test_a_head_that_the_index_does_not_name_is_not_loaded(tmp_path):
    write_sharded(tmp_path, {"a.safetensors": BODY})
    (tmp_path / "mtp.safetensors").write_bytes(packed(HEAD))
    result = check(tmp_path)
    assert result.verdict is Verdict.ABSENT
    assert "mtp.safetensors lies beside them" in result.detail


def test_one_file(tmp_path):
    write(tmp_path, BODY | HEAD)
    assert check(tmp_path / "model.safetensors").verdict is Verdict.REAL


def spoil_length(data: bytes) -> bytes:
    return struct.pack("<Q", 10**12) + data[8:]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (packed(BODY | HEAD)[:-10], "the file is cut short"),
        (packed(BODY)[:5], "the file has 5 bytes"),
        (b"", "the file has 0 bytes"),
        (spoil_length(packed(BODY)), "the header says it is 1,000,000,000,000 bytes long"),
        (struct.pack("<Q", 4) + b"{no}", "the header is not JSON"),
        (struct.pack("<Q", 2) + b"[]", "not a JSON object"),
        (struct.pack("<Q", 9) + b'{"a":{ }}', "a: expected dtype, shape and two data_offsets"),
        (packed({"a": (2, 2)}).replace(b"[2, 2]", b"[2, 9]"), "a: BF16 [2, 9] does not fit its 8 bytes"),
        (packed({"a": (2, 2)}).replace(b"[2, 2]", b"[2,-2]"), "whole numbers from 0 on"),
    ],
)
def test_a_file_that_contradicts_itself(tmp_path, data, says):
    write(tmp_path, BODY)
    (tmp_path / "model.safetensors").write_bytes(data)
    result = check(tmp_path, None)
    (finding,) = result.findings
    assert (result.verdict, finding.rule, finding.severity) == (
        Verdict.UNREADABLE,
        "checkpoint-unreadable",
        Severity.HIGH,
    )
    assert says in finding.message
    assert finding.why[0].place == Place(str(tmp_path / "model.safetensors"))


def test_an_index_that_lies(tmp_path):
    write_sharded(tmp_path, {"a.safetensors": BODY, "b.safetensors": HEAD})
    (tmp_path / "b.safetensors").write_bytes(packed(BODY))
    result = check(tmp_path)
    assert (result.verdict, result.place) == (Verdict.UNREADABLE, Place(str(tmp_path / "b.safetensors")))
    assert "whose header does not have it" in result.detail
    (tmp_path / "b.safetensors").unlink()
    assert "which is not there" in check(tmp_path).detail


def test_an_index_cannot_lead_outside(tmp_path):
    write(tmp_path, BODY)
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"mtp.fc.weight": "../../etc/passwd"}}))
    result = check(tmp_path)
    assert result.verdict is Verdict.UNREADABLE
    assert "outside the checkpoint" in result.detail


@pytest.mark.parametrize(
    ("name", "text", "says", "line"),
    [
        ("config.json", '{\n "a": 1,,\n}', "config.json is not JSON", 2),
        ("config.json", "[]", "not a JSON object", None),
        (INDEX, "{}", "no weight_map", None),
        (INDEX, '{"weight_map": {"a": 1}}', "no weight_map", None),
    ],
)
def test_broken_json(tmp_path, name, text, says, line):
    write(tmp_path, BODY)
    (tmp_path / name).write_text(text)
    result = check(tmp_path)
    assert (result.verdict, result.place.line) == (Verdict.UNREADABLE, line)
    assert says in result.detail


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: folder / "nowhere", "nothing lies there"),
        (lambda folder: folder, "no *.safetensors lies there"),
        (lambda folder: write(folder, BODY) and _pointer(folder), "Git LFS pointer"),
        (lambda folder: _file(folder / "m.gguf"), ".gguf is not read"),
    ],
)
def test_not_read_is_no_verdict(tmp_path, make, says):
    result = check(make(tmp_path))
    assert (result.verdict, result.findings, result.facts) == (None, (), {})
    assert says in result.reason


def _pointer(folder: Path) -> Path:
    (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    return folder


def _file(path: Path) -> Path:
    path.write_bytes(b"GGUF")
    return path


def test_header_of_one_file(tmp_path):
    path = tmp_path / "a.safetensors"
    path.write_bytes(packed({"x": (2, 3)}))
    assert read_header(path) == {"x": Tensor("BF16", (2, 3))}


def test_data_is_not_read(tmp_path, monkeypatch):
    """A sparse file of 8 GB with 20,000 tensors: nothing behind the header is read."""
    tensors = {f"model.layers.{index}.weight": (400, 500) for index in range(20_000)} | HEAD
    write(tmp_path, HEAD)
    header: dict[str, object] = {}
    offset = 0
    for name, shape in tensors.items():
        size = 2 * math.prod(shape)
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + offset)
    reads = []
    opened = Path.open

    def counting(self, *arguments, **options):
        file = opened(self, *arguments, **options)
        read = file.read
        file.read = lambda size=-1: (reads.append(size), read(size))[1]
        return file

    monkeypatch.setattr(Path, "open", counting)
    assert check(tmp_path).verdict is Verdict.REAL
    assert [size for size in reads if size != -1] == [8, len(text)]  # -1: config.json as a whole


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=120), flips=st.lists(st.integers(0, 400), max_size=6))
def test_no_bytes_break_the_reader(tmp_path_factory, data, flips):
    path = tmp_path_factory.mktemp("w") / "a.safetensors"
    spoiled = bytearray(packed(HEAD))
    for flip in flips:
        spoiled[flip] ^= 0x15
    for content in (data, struct.pack("<Q", len(data)) + data, bytes(spoiled)):
        path.write_bytes(content)
        with contextlib.suppress(BadHeader, NotHere):
            assert all(isinstance(tensor, Tensor) for tensor in read_header(path).values())
