"""``tools/registry_status.py`` against stored answers and a server on this machine."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import registry_status
from registry_status import Answer, Stopped, Tracker, malformed, news_of, references, run, trimmed

from pytest_qwen_mtp.registry.load import load_registry

ENTRY = """\
id: own-trouble
title: A made up trouble
engine: vllm
severity: low
affected: [{introduced: "0.20.0"}]
when: {mtp: true}
symptom: The server stops at once with every request.
silent: false
impact: It stops at once, with every request.
workarounds: [{text: wait for it to go away}]
references: ["example/engine#7", "example/engine#12"]
evidence: one reporter
last_checked: "2026-09-21"
live: A request at temperature 0 gets no answer at all.
examples:
  bad: [{version: "0.30.0", command: "vllm serve Qwen/Qwen3.6-27B -sc '{\\"method\\":\\"mtp\\"}'"}]
  good: [{version: "0.30.0", command: vllm serve Qwen/Qwen3.6-27B}]
"""
OPEN = {"state": "open", "updated_at": "2026-09-01T00:00:00Z", "labels": [{"name": "bug"}], "closed_at": None}
CLOSED = {**OPEN, "state": "closed", "closed_at": "2026-10-02T10:00:00Z", "updated_at": "2026-10-02T10:00:00Z"}
MERGED = {**CLOSED, "pull_request": {"merged_at": "2026-10-02T10:00:00Z"}}


@pytest.fixture
def own(tmp_path: Path, scrubbed: None) -> Path:
    """A folder with one entry of its own."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "own-trouble.yaml").write_text(ENTRY, encoding="utf-8")
    return folder


@pytest.fixture
def entries(own: Path) -> list[Any]:
    return [entry for entry in load_registry([own]).entries if entry.id == "own-trouble"]


def told(now: dict[str, Any], before: dict[str, Any] | None, entries: list[Any]) -> list[str]:
    old = None if before is None else trimmed(before)
    return [each.what for each in news_of("example/engine#7", entries, trimmed(now), old)]


def test_only_issues_and_pull_requests_are_asked_each_once(entries: list[Any]) -> None:
    assert list(references(entries)) == ["example/engine#7", "example/engine#12"]


@pytest.mark.parametrize(
    ("now", "before", "what"),
    [
        (OPEN, None, []),
        (CLOSED, None, ["closed on 2026-10-02"]),
        ({**CLOSED, "state_reason": "not_planned"}, None, ["closed on 2026-10-02 as not planned"]),
        ({**CLOSED, "closed_at": "2026-09-20T23:59:59Z"}, None, []),
        ({**CLOSED, "closed_at": "2026-09-21T23:59:59Z"}, None, []),
        (MERGED, None, ["merged on 2026-10-02"]),
        ({**OPEN, "updated_at": "2026-10-03T00:00:00Z"}, CLOSED, ["reopened"]),
        ({**OPEN, "updated_at": "2026-10-03T00:00:00Z", "state_reason": "reopened"}, None, ["reopened"]),
        ({**OPEN, "updated_at": "2026-09-03T00:00:00Z", "state_reason": "reopened"}, None, []),
        (
            {**OPEN, "updated_at": "2026-10-03T00:00:00Z", "labels": [{"name": "bug"}, {"name": "stale"}, "odd"]},
            OPEN,
            ["new label odd", "new label stale"],
        ),
    ],
)
def test_what_changed(now: dict[str, Any], before: dict[str, Any] | None, what: list[str], entries: list[Any]) -> None:
    assert told(now, before, entries) == what


@pytest.mark.parametrize(
    "data",
    [[], None, "x", {}, {**OPEN, "state": 1}, {**OPEN, "labels": "bug"}, {**CLOSED, "closed_at": 5},
     {**OPEN, "pull_request": {"merged_at": []}}, {**OPEN, "state_reason": {}}],
)  # fmt: skip
def test_an_answer_that_is_no_issue_is_said_to_be_none(data: Any) -> None:
    assert malformed(data)


@dataclass
class Server:
    """Answers each request with the next of ``replies`` (status, headers, body), and keeps what was asked."""

    url: str = ""
    replies: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def says(self, status: int, data: Any = None, **headers: str) -> None:
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.replies.append((status, {name.replace("_", "-"): value for name, value in headers.items()}, body))


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            status, headers, body = state.replies.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0" if status == 304 else str(len(body)))
            self.end_headers()
            if status != 304:
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        state.url = f"http://127.0.0.1:{http.server_address[1]}"
        yield state
        http.shutdown()
        thread.join()


@dataclass
class Time:
    """Time that passes only by sleeping."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def ask(server: Server, known: dict[str, Any] | None = None) -> tuple[Answer, Time]:
    passing = Time()
    with registry_status.client(server.url) as client:
        tracker = Tracker(client, known or {}, passing.sleep, lambda: passing.now)
        return tracker.ask("example/engine#7"), passing


def test_a_question_and_its_answer(server: Server, scrubbed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret-token")
    server.says(200, {**OPEN, "body": "long"}, ETag='"abc"')
    answer, passing = ask(server)
    assert answer == Answer(trimmed(OPEN), etag='"abc"')
    assert passing.slept == []
    ((path, headers),) = server.asked
    assert path == "/repos/example/engine/issues/7"
    assert headers["authorization"] == "Bearer secret-token"
    assert "if-none-match" not in headers


def test_what_is_unchanged_is_not_sent_again(server: Server, scrubbed: None) -> None:
    server.says(304)
    answer, _ = ask(server, {"example/engine#7": {"data": trimmed(OPEN), "etag": '"abc"'}})
    assert answer == Answer(trimmed(OPEN), etag='"abc"')
    ((_, headers),) = server.asked
    assert headers["if-none-match"] == '"abc"'
    assert "authorization" not in headers


@pytest.mark.parametrize(
    ("status", "headers", "slept"),
    [
        (429, {"Retry_After": "7"}, [7.0]),
        (403, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "1030"}, [30.0]),
        (429, {}, [60.0]),
        (502, {}, [1.0]),
    ],
)
def test_a_limit_is_waited_for(
    server: Server, scrubbed: None, status: int, headers: dict[str, str], slept: list[float]
) -> None:
    server.says(status, {"message": "slow down"}, **headers)
    server.says(200, OPEN)
    answer, passing = ask(server)
    assert answer.data == trimmed(OPEN)
    assert passing.slept == slept


def test_a_limit_that_lasts_ends_the_run(server: Server, scrubbed: None) -> None:
    server.says(403, {}, X_RateLimit_Remaining="0", X_RateLimit_Reset="4600")
    with pytest.raises(Stopped, match="limit is reached until 01:16:40 UTC"):
        ask(server)


def test_the_last_request_of_a_limit_is_the_last(server: Server, scrubbed: None, entries: list[Any]) -> None:
    server.says(200, CLOSED, X_RateLimit_Remaining="0", X_RateLimit_Reset="9000")
    passing = Time()
    with registry_status.client(server.url) as client:
        news, missed, answers = run(entries, Tracker(client, {}, passing.sleep, lambda: passing.now).ask, {})
    assert [str(each) for each in news] == ["example/engine#7: closed on 2026-10-02  (own-trouble)"]
    assert len(missed) == 1
    assert missed[0].startswith("1 of 2 references were not asked: ")
    assert list(answers) == ["example/engine#7"]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, {}, "HTTP 404: there is no such issue, or it is not public"),
        (301, {}, "HTTP 301: it was moved"),
        (403, {}, "HTTP 403: refused"),
        (200, b"<html>", "the answer is not JSON"),
        (200, [], "the answer is a list, expected an object"),
        (200, {"state": "open"}, "the answer has no usable 'updated_at'"),
    ],
)
def test_an_answer_that_is_of_no_use(server: Server, scrubbed: None, status: int, body: Any, reason: str) -> None:
    server.says(status, body)
    assert ask(server)[0] == Answer(None, reason)


def test_a_server_that_fails_is_asked_three_times(server: Server, scrubbed: None) -> None:
    for _ in range(3):
        server.says(500, {})
    answer, passing = ask(server)
    assert answer == Answer(None, "HTTP 500, 3 times")
    assert passing.slept == [1.0, 2.0, 3.0]


def test_nobody_answers(scrubbed: None) -> None:
    answer, _ = ask(Server(url="http://127.0.0.1:9"))
    assert answer == Answer(None, "no answer: ConnectError, 3 times")


def test_a_token_that_is_refused_ends_the_run(server: Server, scrubbed: None) -> None:
    server.says(401, {})
    with pytest.raises(Stopped, match="GITHUB_TOKEN is not accepted"):
        ask(server)


def called(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = registry_status.main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_dry_run_asks_nothing(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capsys, "--dry-run", "--registry", own, "--api", "http://127.0.0.1:9")
    assert code == 0
    assert "GET http://127.0.0.1:9/repos/example/engine/issues/7\n" in out
    assert out.count("example/engine") == 2
    assert out.count("/repos/vllm-project/vllm/issues/43559\n") == 1


def test_stored_answers(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, entries: list[Any]
) -> None:
    class Only:
        def __init__(self, _: Any) -> None:
            self.entries = entries

    monkeypatch.setattr(registry_status, "load_registry", Only)
    path, cache = tmp_path / "answers.json", tmp_path / "cache.json"
    before = (own / "own-trouble.yaml").read_bytes()
    path.write_text(json.dumps({"example/engine#7": {"data": OPEN}, "example/engine#12": {"data": MERGED}}))
    code, out, err = called(capsys, "--answers", path, "--cache", cache)
    assert (code, out, err) == (1, "example/engine#12: merged on 2026-10-02  (own-trouble)\n", "")
    changed = {**OPEN, "updated_at": "2026-10-05T00:00:00Z", "labels": [{"name": "wontfix"}]}
    path.write_text(json.dumps({"example/engine#7": {"data": changed}}))
    code, out, err = called(capsys, "--answers", path, "--cache", cache, "--json")
    assert code == 3
    assert json.loads(out) == {
        "changed": [{"reference": "example/engine#7", "what": "new label wontfix", "entries": ["own-trouble"]}],
        "not_asked": ["example/engine#12: no stored answer"],
    }
    assert err == "registry_status: example/engine#12: no stored answer\n"
    assert set(json.loads(cache.read_text())) == {"example/engine#7", "example/engine#12"}
    assert (own / "own-trouble.yaml").read_bytes() == before


@pytest.mark.parametrize(("text", "message"), [("{", "cannot be read"), ("[1]", "expected an object")])
def test_a_bad_file_of_answers_is_a_usage_error(
    tmp_path: Path, scrubbed: None, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    path = tmp_path / "answers.json"
    path.write_text(text)
    code, out, err = called(capsys, "--answers", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"registry_status: {path}: ")
    assert message in err
