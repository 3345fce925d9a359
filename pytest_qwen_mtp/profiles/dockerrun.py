"""A ``docker run`` line → the container it starts: image, entry point, arguments, environment, mounts.

Options by the command line references of Docker 28 (``docker run``), Podman 5 (``podman-run(1)``) and nerdctl 2. What
is not listed as a switch takes a value, as nearly every option does.
"""

from __future__ import annotations

import json
import os.path
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pytest_qwen_mtp.profiles.image import is_image_name
from pytest_qwen_mtp.profiles.model import NotSeen, Word
from pytest_qwen_mtp.profiles.text import SourceText

_TOOLS: Final = frozenset(("docker", "podman", "nerdctl", "nvidia-docker", "podman-remote", "finch"))
_STARTS: Final = frozenset(("run", "create"))

_GLOBAL_SWITCHES: Final = re.compile(
    r"debug|tls|tlsverify|version|help|remote|noout|trace|syslog|transient-store|debug-full|insecure-registry"
    r"|experimental|kube-hide-dupe"
)
_GLOBAL_SHORT_SWITCHES: Final = {"docker": "Dv", "podman": "rvh", "nerdctl": "hv"}

_SWITCHES: Final = re.compile(
    r"detach|disable-content-trust|help|init|interactive|no-healthcheck|oom-kill-disable|privileged|publish-all|quiet"
    r"|read-only|rm|sig-proxy|tty|use-api-socket|env-host|unsetenv-all|http-proxy|no-hosts|no-hostname|read-only-tmpfs"
    r"|replace|rmi|rootfs|passwd|tls-verify|remote|noout|trace|syslog|transient-store"
)
_SHORT_SWITCHES: Final = frozenset("diPqt")
_LONG_OF: Final = {"e": "env", "v": "volume", "w": "workdir", "h": "hostname", "u": "user", "p": "publish"}
_IMAGE_WORDS: Final = ("IMAGE", "IMG", "CONTAINER", "REPO", "TAG")


@dataclass(frozen=True, slots=True)
class Mount:
    """A host path seen in the container. ``source`` as written: relative to where the command runs, or with ``~``."""

    source: str
    target: str
    word: Word


@dataclass(frozen=True, slots=True)
class ContainerRun:
    """One container that a command line starts.

    ``entrypoint`` is None where the line leaves it to the image, ``()`` where it takes it away. ``env`` maps a name to
    None where it is handed through from outside; values of ``env_files`` stand behind it. ``interactive``: it reads
    the input of the line. ``image`` is None where no word is left for it.
    """

    tool: Word
    image: Word | None
    entrypoint: tuple[Word, ...] | None
    args: tuple[Word, ...]
    env: Mapping[str, Word | None] = field(default_factory=dict)
    env_files: tuple[Word, ...] = ()
    mounts: tuple[Mount, ...] = ()
    gpus: Word | None = None
    devices: tuple[Word, ...] = ()
    name: Word | None = None
    workdir: Word | None = None
    interactive: bool = False
    not_seen: tuple[NotSeen, ...] = ()

    @property
    def cards(self) -> int | None:
        """How many GPUs ``--gpus`` or CDI devices name; None where nothing says so, and for all of the machine's."""
        if self.gpus is not None and not self.gpus.unresolved:
            given = self.gpus.text.strip("\"'")
            count = given.removeprefix("count=")
            if count.isascii() and count.isdigit():
                return int(count) or None
            _, device, names = given.partition("device=")
            return len([each for each in names.split(",") if each.strip()]) or None if device else None
        named = [each.text.partition("=")[2] for each in self.devices if each.text.startswith("nvidia.com/gpu=")]
        return None if "all" in named else len(named) or None

    def host_mounts(self, base: Path) -> dict[str, Path]:
        """Container path → host path of every bind mount, relative sources taken from ``base``."""
        return {mount.target: base / os.path.expanduser(mount.source) for mount in self.mounts}


def read_run(words: Sequence[Word]) -> ContainerRun | None:
    """The container that ``words`` (from the program on) start; None where they start none."""
    if not words:
        return None
    tool = os.path.basename(words[0].text).removesuffix(".exe")
    if tool not in _TOOLS:
        return None
    start = _behind_subcommand(words, "docker" if tool.endswith("docker") else tool)
    return None if start is None else _Reader(words, start).read()


def read_env_file(text: SourceText) -> dict[str, Word | None]:
    """The variables of an ``--env-file``: ``NAME=value`` a line, the value as it stands, quotes and all.

    A name alone is handed through from outside (None). By ``docker run`` reference, ``--env-file``; this is not the
    grammar of Compose's ``.env``.
    """
    found: dict[str, Word | None] = {}
    offset = 0
    for line in text.text.split("\n"):
        given = line.removesuffix("\r").lstrip()
        name, equals, value = given.partition("=")
        if name and not given.startswith("#"):
            start = offset + line.index("=") + 1 if equals else offset
            found[name.rstrip()] = Word(value, text.place(start)) if equals else None
        offset += len(line) + 1
    return found


def _behind_subcommand(words: Sequence[Word], tool: str) -> int | None:
    """Where the options of ``run`` or ``create`` begin."""
    short = _GLOBAL_SHORT_SWITCHES.get(tool.partition("-")[0], "v")
    index = 1
    while index < len(words):
        text = words[index].text
        if text.startswith("--"):
            index += 1 if "=" in text or _GLOBAL_SWITCHES.fullmatch(text[2:]) else 2
        elif text.startswith("-") and len(text) > 1:
            index += 2 if len(text) == 2 and text[1] not in short else 1
        elif text == "container":
            index += 1
        else:
            return index + 1 if text in _STARTS else None
    return None


class _Reader:
    """Walks the options of one line; ends at the image."""

    def __init__(self, words: Sequence[Word], start: int) -> None:
        self.words = words
        self.index = start
        self.env: dict[str, Word | None] = {}
        self.env_files: list[Word] = []
        self.mounts: dict[str, Mount] = {}
        self.devices: list[Word] = []
        self.single: dict[str, Word] = {}
        self.not_seen: list[NotSeen] = []
        self.interactive = False

    def read(self) -> ContainerRun:
        image = self._image()
        entrypoint = self.single.get("entrypoint")
        return ContainerRun(
            tool=self.words[0],
            image=image,
            entrypoint=None if entrypoint is None else _entrypoint(entrypoint, self.words[0]),
            args=tuple(self.words[self.index :]),
            env=self.env,
            env_files=tuple(self.env_files),
            mounts=tuple(self.mounts.values()),
            gpus=self.single.get("gpus"),
            devices=tuple(self.devices),
            name=self.single.get("name"),
            workdir=self.single.get("workdir"),
            interactive=self.interactive,
            not_seen=tuple(self.not_seen),
        )

    def _image(self) -> Word | None:
        words = self.words
        while self.index < len(words):
            word = words[self.index]
            self.index += 1
            text = word.text
            if text == "--":
                if self.index == len(words):
                    return None
                self.index += 1
                return words[self.index - 1]
            if text.startswith("--"):
                self._long(word, text[2:])
            elif text.startswith("-") and len(text) > 1:
                self._cluster(word, text[1:])
            elif self._stands_for_options(word):
                self.not_seen.append(NotSeen(f"options of the container in {text}", word.place))
            else:
                return word
        return None

    def _stands_for_options(self, word: Word) -> bool:
        """Whether an unresolved word in the image's place is more likely a variable that holds options."""
        if not word.unresolved or not word.text.startswith(("$", "`")):
            return False
        if any(part in reference.name.upper() for reference in word.unresolved for part in _IMAGE_WORDS):
            return False
        return (
            self.index < len(self.words)
            and (is_image_name(self.words[self.index].text) or self.words[self.index].text.startswith("-"))
            and any(is_image_name(each.text) for each in self.words[self.index :])
        )

    def _long(self, word: Word, text: str) -> None:
        name, equals, value = text.partition("=")
        if equals:
            if not _SWITCHES.fullmatch(name):
                self._take(name, _part(word, value))
        elif not _SWITCHES.fullmatch(name):
            self._next(name)
        self.interactive = self.interactive or text in ("interactive", "interactive=true")

    def _cluster(self, word: Word, letters: str) -> None:
        for position, letter in enumerate(letters):
            if letter in _SHORT_SWITCHES:
                if letters[position + 1 : position + 2] == "=":
                    return
                self.interactive = self.interactive or letter == "i"
                continue
            rest = letters[position + 1 :].removeprefix("=")
            name = _LONG_OF.get(letter, letter)
            if letters[position + 1 :]:
                self._take(name, _part(word, rest))
            else:
                self._next(name)
            return

    def _next(self, name: str) -> None:
        if self.index < len(self.words):
            self._take(name, self.words[self.index])
            self.index += 1

    def _take(self, name: str, value: Word) -> None:
        if name == "env":
            variable, equals, given = value.text.partition("=")
            if variable:
                self.env[variable] = _part(value, given) if equals else None
        elif name == "env-file":
            self.env_files.append(value)
        elif name in ("volume", "mount"):
            mount = _volume(value) if name == "volume" else _mount(value)
            if mount is not None:
                self.mounts[mount.target] = mount
        elif name == "device":
            self.devices.append(value)
        else:
            self.single[name] = value


def _part(word: Word, text: str) -> Word:
    """A value inside ``word``: it stands at the word's own place, since quotes may hide the exact column."""
    return Word(text, word.place, word.references)


def _entrypoint(word: Word, tool: Word) -> tuple[Word, ...]:
    """Docker takes one program and no arguments; Podman also a JSON list (podman-run(1), --entrypoint)."""
    if word.text.startswith("[") and "podman" in os.path.basename(tool.text):
        try:
            listed = json.loads(word.text)
        except ValueError:
            return (word,)
        if isinstance(listed, list) and all(isinstance(each, str) for each in listed):
            return tuple(_part(word, each) for each in listed)
    return (word,) if word.text else ()


def _volume(word: Word) -> Mount | None:
    """``SOURCE:TARGET[:OPTIONS]``; a source that is no path is the name of a volume, and gives no files here."""
    text = word.text
    drive = 2 if len(text) > 2 and text[0].isalpha() and text[1] == ":" and text[2] in "\\/" else 0
    source, colon, rest = text[drive:].partition(":")
    source = text[:drive] + source
    target = rest.partition(":")[0]
    if not colon or not target.startswith("/") or not (drive or source.startswith(("/", ".", "~", "$", "`"))):
        return None
    return Mount(source, target, word)


def _mount(word: Word) -> Mount | None:
    """``type=bind,source=…,target=…`` in any order, with the short names that Docker and Podman know."""
    given: dict[str, str] = {}
    for item in word.text.split(","):
        key, _, value = item.partition("=")
        given[key.strip().lower()] = value
    source = given.get("source") or given.get("src")
    target = given.get("target") or given.get("destination") or given.get("dst")
    if given.get("type", "volume") != "bind" or not source or not target:
        return None
    return Mount(source, target, word)
