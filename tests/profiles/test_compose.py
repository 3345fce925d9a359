"""What the resolver tells beyond the values that Compose prints: places, references, problems, what was not seen."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.compose import ComposeProject, ComposeService, project_files, resolve
from pytest_qwen_mtp.profiles.text import Given

BAD = Path(__file__).parent / "deployments" / "bad"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files by relative path and gives the folder."""

    def put(contents: dict[str, str]) -> Path:
        for name, text in contents.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return put


def load(folder: Path, name: str = "compose.yaml", **environment: str) -> ComposeProject:
    return resolve([folder / name], environment)


def one(project: ComposeProject) -> ComposeService:
    assert project.problems == ()
    (service,) = project.services
    return service


def problems(project: ComposeProject) -> list[tuple[str, int | None, int | None]]:
    return [(problem.kind, problem.place.line, problem.place.column) for problem in project.problems]


@pytest.mark.parametrize(
    ("name", "expected", "said"),
    [
        ("duplicate-key.yaml", ("duplicate-key", 6, 5), "the key `command` is already given at line 4"),
        ("include-loop/compose.yaml", ("include-cycle", 2, 5), "compose.yaml, second.yaml, compose.yaml"),
        ("include-loop/second.yaml", ("include-cycle", 2, 5), "second.yaml, compose.yaml, second.yaml"),
        ("missing-env-file/compose.yaml", ("missing-file", 5, 9), "the env_file ./not-here.env is not there"),
        ("top-list.yaml", ("wrong-top-level", 1, 1), "a list stands where a mapping is expected"),
        ("null-services.yaml", ("no-services", 2, 1), "`services` is empty"),
        ("tab-indent.yaml", ("tab-in-indentation", 4, 1), "a tab stands where YAML allows only blanks"),
        ("x.yaml", ("is-a-directory", None, None), "this is a folder, not a file"),
    ],
)
def test_bad_files_of_the_deployments(name: str, expected: tuple[str, int | None, int | None], said: str) -> None:
    project = resolve([BAD / name])
    assert problems(project) == [expected]
    assert said in project.problems[0].message
    assert project.problems[0].place.path == str(BAD / name)


def test_places_of_words(write: Write) -> None:
    folder = write(
        {
            "compose.yaml": "services:\n  a:\n    image: 'x:1'\n    command:\n      - serve\n"
            '      - "--a=${A:-b}"\n    entrypoint: bash -c \'exec "$$@"\'\n    environment: [K=v, P]\n'
        }
    )
    service = one(load(folder))
    path = str(folder / "compose.yaml")
    assert service.place == Place(path, 2, 3)
    assert service.image is not None
    assert service.image.place == Place(path, 3, 13)
    assert service.command is not None
    assert [word.place for word in service.command] == [Place(path, 5, 9), Place(path, 6, 10)]
    assert service.entrypoint is not None
    assert [word.place.column for word in service.entrypoint] == [17, 22, 25]
    script = service.entrypoint[2]
    assert script.text == 'exec "$@"'
    assert script.source is not None
    assert script.source.place(6).column == 32
    value = service.environment["K"]
    assert value is not None
    assert value.place == Place(path, 8, 21)


def test_references_of_words(write: Write) -> None:
    folder = write(
        {
            "compose.yaml": "services:\n  a:\n    image: x:$TAG\n    command: serve $GONE $TAG '${NONE}'\n"
            "    environment: [TAG]\n",
            ".env": "# c\nTAG=v1\n",
        }
    )
    service = one(load(folder))
    assert service.image is not None
    (use,) = service.image.references
    assert (use.name, use.given, use.given_at) == ("TAG", Given.FILE, Place(str(folder / ".env"), 2, 1))
    assert service.command is not None
    assert [(word.text, [each.name for each in word.unresolved]) for word in service.command] == [
        ("serve", []),
        ("v1", []),
        ("", ["NONE"]),
    ]
    assert [each.name for each in service.vanished] == ["GONE"]
    passed = service.environment["TAG"]
    assert passed is not None
    assert [each.given for each in passed.references] == [Given.FILE]


def test_the_process_environment_counts_only_when_it_is_handed_in(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write({"compose.yaml": "services:\n  a: {image: 'x:${TAG:-none}'}\n", ".env": "TAG=file\n"})
    monkeypatch.setenv("TAG", "ambient")
    assert str(one(resolve([folder / "compose.yaml"])).image) == "x:file"
    image = one(load(folder, TAG="given")).image
    assert image is not None
    assert (image.text, image.references[0].given) == ("x:given", Given.ENVIRONMENT)


def test_a_required_variable_is_told_and_the_reading_goes_on(write: Write) -> None:
    folder = write(
        {
            "compose.yaml": "services:\n  a:\n    image: x:${TAG:?pick one}\n    command: [serve, '${M?}']\n"
            "    ports: ['${P:?port}:1']\n  b: {image: y}\n"
        }
    )
    project = load(folder)
    assert problems(project) == [
        ("required-variable", 4, 23),
        ("required-variable", 3, 14),
        ("required-variable", 5, 14),
    ]
    first, second = project.services
    assert first.image is not None
    assert (first.image.text, first.image.unresolved[0].given) == ("x:${TAG}", Given.UNKNOWN)
    assert first.command is not None
    assert first.command[1].text == "${M}"
    assert str(second.image) == "y"


def test_a_broken_service_does_not_take_its_neighbours_down(write: Write) -> None:
    folder = write(
        {
            "compose.yaml": "services:\n  a: [1]\n  b: {image: x, command: {k: v}, environment: 5, volumes: x}\n"
            '  c: {image: y, command: [serve, 8000, [z]]}\n  d: {image: z, command: "a \'b"}\n'
        }
    )
    project = load(folder)
    assert [service.name for service in project.services] == ["b", "c", "d"]
    assert problems(project) == [
        ("invalid-compose", 2, 3),
        ("invalid-compose", 3, 26),
        ("invalid-compose", 3, 47),
        ("invalid-compose", 4, 34),
        ("invalid-compose", 4, 40),
        ("invalid-command", 5, 29),
    ]
    command = project.services[1].command
    assert command is not None
    assert [word.text for word in command[:2]] == ["serve", "8000"]


def test_commands_given_empty_or_not_at_all(write: Write) -> None:
    folder = write(
        {"compose.yaml": "services:\n  a: {image: x, command: [], entrypoint: ''}\n  b: {image: x, command: ~}\n"}
    )
    first, second = load(folder).services
    assert (first.command, first.entrypoint) == ((), ())
    assert (second.command, second.entrypoint) == (None, None)


def test_a_cut_command_says_where(write: Write) -> None:
    folder = write({"compose.yaml": "services:\n  a:\n    image: x\n    command: serve > log\n    entrypoint: [a]\n"})
    service = one(load(folder))
    assert service.command_cut == Place(str(folder / "compose.yaml"), 4, 20)
    assert service.entrypoint_cut is None


def test_variables_that_could_be_set(write: Write) -> None:
    folder = write(
        {
            "compose.yaml": "x-t: &t {image: 'x:${TAG:-v1}'}\nservices:\n  a:\n    <<: *t\n"
            "    command: serve ${EAGER:+--enforce-eager}\n  b: {<<: *t}\n"
        }
    )
    project = load(folder)
    assert {(each.name, each.operator, each.operand, each.given) for each in project.variables} == {
        ("TAG", ":-", "v1", Given.DEFAULT),
        ("EAGER", ":+", "--enforce-eager", Given.ALTERNATE),
    }
    assert len(project.variables) == 2
    service = load(folder, EAGER="1").services[0]
    assert service.command is not None
    assert [word.text for word in service.command] == ["serve", "--enforce-eager"]


def test_stated_facts(write: Write) -> None:
    folder = write(
        {
            "compose.yaml": "x-qwen-mtp: {engine-version: 0.31.0, notes: [a]}\nservices:\n  a:\n    image: x\n"
            "    x-qwen-mtp: {engine-version: '${V:-0.32.0}', depth: 3}\n  b: {image: y}\n"
        }
    )
    first, second = load(folder).services
    assert first.stated == {"engine-version": "0.32.0", "notes": ["a"], "depth": 3}
    assert second.stated == {"engine-version": "0.31.0", "notes": ["a"]}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("gpus: all", "all"),
        ("gpus: [{driver: nvidia, count: 2}]", 2),
        ("gpus: [{count: 1}, {device_ids: ['3', '5']}]", 3),
        ("gpus: [{driver: nvidia}]", "all"),
        ("deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, capabilities: [gpu]}]}}}", "all"),
        ("deploy: {resources: {reservations: {devices: [{device_ids: ['0'], capabilities: [gpu]}]}}}", 1),
        ("deploy: {resources: {reservations: {devices: [{driver: x, count: 4, capabilities: [tpu]}]}}}", None),
        ("deploy: {resources: {reservations: {devices: [{count: '${N:-4}', capabilities: [gpu]}]}}}", 4),
        ("deploy: {replicas: 1}", None),
        ("gpus: [{count: several}]", None),
    ],
)
def test_gpus(write: Write, body: str, expected: int | str | None) -> None:
    assert one(load(write({"compose.yaml": f"services:\n  a:\n    image: x\n    {body}\n"}))).gpus == expected


def test_inline_configs_and_secrets(write: Write) -> None:
    folder = write(
        {
            "compose.yaml": "services:\n  a:\n    image: x\n    configs: [{source: c, target: /etc/c.ini}, d, f]\n"
            "    secrets: [s]\nconfigs:\n  c:\n    content: |\n      depth = ${D:-3}\n      price = $$5\n"
            "  d: {environment: TEXT}\n  f: {file: ./f.cfg}\nsecrets: {s: {file: /run/s}}\n"
        }
    )
    service = one(load(folder, TEXT="out"))
    assert {target: text.text for target, text in service.written.items()} == {
        "/etc/c.ini": "depth = 3\nprice = $5\n",
        "/d": "out",
    }
    assert str(service.written["/etc/c.ini"].place(10)) == f"{folder / 'compose.yaml'}:10:7"
    assert service.mounts == {"/f": folder / "f.cfg", "/run/secrets/s": Path("/run/s")}


def test_a_volume_hides_the_earlier_mount(write: Write) -> None:
    first = "services:\n  a: {image: x, volumes: ['./a:/a', './b:/b', '~/h:/h']}\n"
    folder = write({"a.yaml": first, "b.yaml": "services:\n  a: {volumes: ['named:/a']}\n"})
    project = resolve([folder / "a.yaml", folder / "b.yaml"])
    assert project.services[0].mounts == {"/b": folder / "b"}


def test_remote_things_are_told_and_never_fetched(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    folder = write(
        {
            "compose.yaml": "include:\n  - https://host.invalid/a.git\n  - {path: oci://host.invalid/b}\nservices:\n"
            "  a: {image: x, extends: {file: git@host.invalid:c.git, service: z}}\n"
            "  b: {build: 'https://host.invalid/d.git#main:sub'}\n"
        }
    )
    project = load(folder)
    assert project.problems == ()
    assert [(str(each.place).rpartition("/")[2], each.what.split()[2]) for each in project.not_seen] == [
        ("compose.yaml:2:5", "include"),
        ("compose.yaml:3:12", "include"),
        ("compose.yaml:5:33", "file"),
        ("compose.yaml:6:14", "build"),
    ]
    build = project.services[1].build
    assert build is not None
    assert (build.context, build.dockerfile) == (None, None)


def test_profiles(write: Write) -> None:
    folder = write(
        {"compose.yaml": "services:\n  a: {image: x, profiles: [p, q]}\n", ".env": "COMPOSE_PROFILES=q, r,\n"}
    )
    project = load(folder)
    assert project.services[0].profiles == ("p", "q")
    assert project.active_profiles == ("q", "r")


def test_files_that_belong_together(write: Write) -> None:
    folder = write(
        {
            "compose.yml": "services: {a: {image: x}}\n",
            "docker-compose.yml": "services: {a: {image: x}}\n",
            "docker-compose.override.yaml": "services: {a: {command: o}}\n",
        }
    )
    assert project_files(folder / "compose.yml") == (folder / "compose.yml", folder / "docker-compose.override.yaml")
    assert project_files(folder / "docker-compose.yml") == (folder / "docker-compose.yml",)
    assert load(folder, "compose.yml").files == tuple(
        str(folder / name) for name in ("compose.yml", "docker-compose.override.yaml")
    )


def test_compose_file_of_dotenv_that_begins_elsewhere(write: Write) -> None:
    folder = write({".env": "COMPOSE_FILE=other.yaml\n", "compose.yaml": "services: {a: {image: x}}\n"})
    project = load(folder)
    assert project.files == (str(folder / "compose.yaml"),)
    (unseen,) = project.not_seen
    assert unseen.place == Place(str(folder / ".env"), 1, 1)
    assert "other.yaml" in unseen.what


def test_paths_are_told_as_they_were_given(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(
        {"s/compose.yaml": "include: [i/i.yaml]\n", "s/i/i.yaml": "services: {a: {image: x, env_file: e}}\n"}
    )
    monkeypatch.chdir(folder)
    project = resolve([Path("s/compose.yaml")])
    assert project.files == ("s/compose.yaml", "s/i/i.yaml")
    assert project.services[0].place.path == "s/i/i.yaml"
    assert project.problems[0].place == Place("s/i/i.yaml", 1, 36)


def test_services_of_two_files_keep_the_first_place(write: Write) -> None:
    folder = write(
        {"compose.yaml": "services:\n  a: {image: x}\n", "compose.override.yaml": "services:\n\n  a: {command: b}\n"}
    )
    service = one(load(folder))
    assert service.place == Place(str(folder / "compose.yaml"), 2, 3)
    assert service.command is not None
    assert service.command[0].place == Place(str(folder / "compose.override.yaml"), 3, 16)


def test_an_unreadable_override_leaves_the_base(write: Write) -> None:
    folder = write({"compose.yaml": "services: {a: {image: x}}\n", "compose.override.yaml": "services:\n\ta: 1\n"})
    project = load(folder)
    assert problems(project) == [("tab-in-indentation", 2, 1)]
    assert [service.name for service in project.services] == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        "x-0: &a0 {image: x}\n"
        + "".join(f"x-{i}: &a{i}\n  <<: *a{i - 1}\n" for i in range(1, 400))
        + "services: {a: *a399}\n",
        "services:\n  s0: {image: x}\n" + "".join(f"  s{i}: {{extends: s{i - 1}}}\n" for i in range(1, 3000)),
        "services:\n  a: {image: x, x-q: " + "{a: " * 900 + "1" + "}" * 900 + "}\n",
    ],
    ids=["merge keys", "extends", "nesting"],
)
def test_long_chains_end_in_an_answer(write: Write, text: str) -> None:
    project = load(write({"compose.yaml": text, "compose.override.yaml": text}))
    assert project.services or project.problems


@pytest.mark.parametrize(
    "key",
    ["image", "command", "environment", "env_file", "build", "volumes", "configs", "secrets", "profiles", "gpus",
     "deploy", "x-qwen-mtp", "working_dir", "extends", "<<"],
)  # fmt: skip
@pytest.mark.parametrize("value", ["5", "~", "x", "[]", "{}", "[5]", "[[x]]", "{k: {k: [v]}}", "[~]", "!reset x", "''"])
def test_any_value_under_any_key_is_answered(write: Write, key: str, value: str) -> None:
    text = f"services:\n  a:\n    {key}: {value}\n  b: {{image: y}}\n"
    project = load(write({"compose.yaml": text, "compose.override.yaml": text}))
    assert "b" in [service.name for service in project.services]
