"""``docker run`` lines, judged by hand and by the Docker client itself against a daemon that only records."""

from __future__ import annotations

import http.server
import json
import os
import random
import shlex
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.dockerrun import read_env_file, read_run
from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Given, Reference, SourceText


def words(text: str | list[str]) -> list[Word]:
    listed = shlex.split(text) if isinstance(text, str) else text
    return [Word(each, Place("run.sh", 2, 1 + index)) for index, each in enumerate(listed)]


def texts(given) -> list[str] | None:
    return None if given is None else [word.text for word in given]


def test_a_usual_line():
    run = read_run(
        words(
            "docker run -dit --rm --gpus all -eA=b -e C --env D=e=f -p 1:2 -v /a:/b:ro -v hub:/x --name n -w/work "
            "--env-file=site.env vllm/vllm-openai:v0.31.0 m --port 3"
        )
    )
    assert run.image.text == "vllm/vllm-openai:v0.31.0"
    assert run.entrypoint is None
    assert texts(run.args) == ["m", "--port", "3"]
    assert {name: value and value.text for name, value in run.env.items()} == {"A": "b", "C": None, "D": "e=f"}
    assert texts(run.env_files) == ["site.env"]
    assert run.host_mounts(Path("/home")) == {"/b": Path("/a")}
    assert (run.gpus.text, run.name.text, run.workdir.text) == ("all", "n", "/work")
    assert run.args[0].place == Place("run.sh", 2, 23)


@pytest.mark.parametrize(
    "start",
    [
        "docker run",
        "docker container run",
        "docker create",
        "/usr/bin/docker -H tcp://x --debug container create",
        "docker --context=far -l debug run",
        "podman --log-level debug run --replace --device nvidia.com/gpu=all --secret x,type=env",
        "podman -r run --tls-verify=false --env-host --userns keep-id",
        "podman run --syslog --log-level debug --health-on-failure kill --no-hosts --passwd=false --preserve-fds 2",
        "nerdctl -n k8s.io run --gpus all",
        "nvidia-docker run",
    ],
)
def test_ways_to_start_a_container(start):
    run = read_run(words(f"{start} -d img a b"))
    assert (run.image.text, texts(run.args)) == ("img", ["a", "b"])


@pytest.mark.parametrize(
    "text", ["", "docker", "docker compose up", "docker exec x vllm serve", "docker rm -f run", "vllm serve m"]
)
def test_no_container_starts(text):
    assert read_run(words(text)) is None


def test_entry_point():
    assert texts(read_run(words("docker run --entrypoint python3 img -m x")).entrypoint) == ["python3"]
    assert texts(read_run(words(["docker", "run", "--entrypoint", "", "img", "vllm"])).entrypoint) == []
    assert texts(read_run(words(["docker", "run", "--entrypoint=a b", "img"])).entrypoint) == ["a b"]
    assert texts(read_run(words(["podman", "run", "--entrypoint", '["a","b"]', "img"])).entrypoint) == ["a", "b"]


def test_mounts():
    run = read_run(
        words(
            "docker run -v ./a:/a -v name:/n --volume=/b:/b:ro,z -v /anonymous "
            "--mount type=bind,src=/c,dst=/c,readonly --mount target=/d,source=d,type=bind "
            "--mount type=volume,src=v,dst=/v --mount type=tmpfs,dst=/t img"
        )
    )
    assert run.host_mounts(Path("/base")) == {
        "/a": Path("/base/a"),
        "/b": Path("/b"),
        "/c": Path("/c"),
        "/d": Path("/base/d"),
    }


def test_no_image_left():
    assert read_run(words("docker run -d --name x")).image is None
    assert read_run(words("docker run -e")).image is None


def test_a_variable_may_hold_options_or_the_image():
    unknown = (Reference("OPTS", Place("run.sh", 2, 3), Given.UNKNOWN),)
    line = [*words("docker run"), Word("$OPTS", Place("run.sh", 2, 3), unknown), *words("vllm/vllm-openai:v0.31.0 m")]
    run = read_run(line)
    assert (run.image.text, texts(run.args)) == ("vllm/vllm-openai:v0.31.0", ["m"])
    assert "$OPTS" in run.not_seen[0].what
    image = (Reference("IMAGE", Place("run.sh", 2, 3), Given.UNKNOWN),)
    line = [*words("docker run"), Word("$IMAGE", Place("run.sh", 2, 3), image), *words("vllm serve m")]
    assert read_run(line).image.text == "$IMAGE"


def test_env_file():
    text = '# c\nA=1\n  B = two # kept\nC\n\nD="q"\r\nE=\n'
    found = read_env_file(SourceText.of_file(text, "site.env"))
    assert {name: value and value.text for name, value in found.items()} == {
        "A": "1",
        "B": " two # kept",
        "C": None,
        "D": '"q"',
        "E": "",
    }
    assert found["A"].place == Place("site.env", 2, 3)


class _Recorder(http.server.BaseHTTPRequestHandler):
    """A daemon that accepts every container and keeps what the client sent."""

    seen: list[dict]

    def _reply(self, code: int) -> None:
        body = json.dumps({"Id": "a" * 64, "Warnings": []}).encode()
        self.send_response(code)
        self.send_header("Api-Version", "1.41")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self) -> None:
        self._reply(200)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        self.seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._reply(201)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def docker():
    """Runs the Docker client and gives the container it asks for; None where it refuses the line."""
    client = shutil.which("docker")
    if client is None:
        pytest.skip("no Docker client on this machine")
    seen: list[dict] = []
    handler = type("Recorder", (_Recorder,), {"seen": seen})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = {"DOCKER_HOST": f"tcp://127.0.0.1:{server.server_port}", "PATH": os.environ["PATH"], "HOME": "/nonexistent"}

    def run(argv: list[str]) -> dict | None:
        seen.clear()
        done = subprocess.run([client, *argv[1:]], env=env, capture_output=True, text=True, timeout=20, check=False)
        return seen[0] if done.returncode == 0 and seen else None

    yield run
    server.shutdown()
    server.server_close()


# One spelling of every option of `docker create` that starts anywhere (no Windows, no daemon needed).
OPTIONS = """
--add-host a:1.2.3.4|--annotation a=b|-a stdout|--blkio-weight 300|--cap-add ALL|--cap-drop=ALL|--cgroup-parent /x
--cgroupns host|-c 512|--cpu-period 50000|--cpu-quota 1000|--cpus 1.5|--cpuset-cpus 0,1|--cpuset-mems 0
--device /dev/kfd|--device-cgroup-rule 'c 1:3 mr'|--device-read-bps /dev/sda:1mb|--disable-content-trust
--disable-content-trust=false|--dns 1.1.1.1|--dns-option ndots:2|--dns-opt ndots:1|--dns-search x.org|--domainname d
--expose 80|--gpus '"device=0,1"'|--gpus=all|--group-add video|--health-cmd 'curl x'|--health-interval 5s
--health-retries 3|--health-start-period 1s|--health-timeout 1s|-h host|-hhost|--hostname=h|--init|-i|-it|-ti
--ip 1.2.3.4|--ip6 ::1|--ipc host|--ipc=host|--isolation default|--kernel-memory 64m|-l a=b|--label=x|--log-driver none
--log-opt max-size=1m|--mac-address 92:d0:c6:0a:29:33|-m 1g|-m1g|--memory=1g|--memory-reservation 1g|--memory-swap=-1
--memory-swap -1|--memory-swappiness 10|--net none|--network bridge|--no-healthcheck|--oom-kill-disable
--oom-score-adj 5|--pid host|--pids-limit 100|--platform linux/amd64|--privileged|-p 80:80|-p80:80|--publish=1:1|-P
--pull never|-q|--read-only|--read-only=true|--restart always|--rm|--runtime nvidia|--security-opt seccomp=unconfined
--shm-size 16g|--shm-size=8g|--stop-signal TERM|--stop-timeout 3|--sysctl a.b=1|--tmpfs /t|-t|-tq|--ulimit memlock=-1
-u 0:0|-u0|--userns host|--uts host|-v /a:/b|-v/a2:/b2:ro|--volume=c:/c|--volume-driver local|--volumes-from x
-w /w|-w/ww|--workdir=/www|--mount type=bind,src=/d,dst=/e,readonly|-e A=1|-eB=2|--env C=3|--env=D=4|-e E|-itq
-ie F=1|--entrypoint python3|--entrypoint=|--entrypoint '["a"]'|--name n|--name=m|-tw /tw|-it=false|--link x:y
""".replace("\n", "|")


def compare(run, sent: dict) -> None:
    assert run.image.text == sent["Image"]
    assert texts(run.args) == (sent["Cmd"] or [])
    entry = sent["Entrypoint"]
    if run.entrypoint is None:
        assert entry is None
    else:
        assert (texts(run.entrypoint) or [""]) == entry
    own = {name: value.text for name, value in run.env.items() if value is not None}
    assert own == dict(each.split("=", 1) for each in sent["Env"] or [] if "=" in each)
    binds = {
        bind.split(":")[1]: bind.split(":")[0] for bind in sent["HostConfig"]["Binds"] or [] if bind.startswith("/")
    }
    binds |= {mount["Target"]: mount["Source"] for mount in sent["HostConfig"].get("Mounts") or []}
    assert {target: str(path) for target, path in run.host_mounts(Path("/")).items()} == binds


def test_every_option_as_the_docker_client_reads_it(docker):
    accepted = 0
    for option in filter(None, OPTIONS.split("|")):
        argv = ["docker", "create", *shlex.split(option), "vllm/vllm-openai:v0.31.0", "m", "--port", "-1"]
        sent = docker(argv)
        if sent is None:
            continue
        accepted += 1
        compare(read_run(words(argv)), sent)
    assert accepted >= 110


def test_mixed_options_as_the_docker_client_reads_them(docker):
    choices = [each for each in OPTIONS.split("|") if each and "entrypoint" not in each]
    dice = random.Random(7)
    accepted = 0
    for _ in range(60):
        picked = [word for option in dice.sample(choices, 6) for word in shlex.split(option)]
        ends = dice.choice([[], ["--"]])
        argv = [
            "docker",
            "create",
            *picked,
            *ends,
            "img:1",
            *dice.choice([[], ["-e", "X=1"], ["--", "run"], ["serve"]]),
        ]
        sent = docker(argv)
        if sent is not None:
            accepted += 1
            compare(read_run(words(argv)), sent)
    assert accepted >= 20
