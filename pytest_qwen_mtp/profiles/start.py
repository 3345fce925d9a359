"""From the words of a process to the engines it starts: through wrappers, shells, scripts and container runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.dockerbuild import ContainerBuild, image_name, read_build
from pytest_qwen_mtp.profiles.dockerfile import DockerImage, read_dockerfile
from pytest_qwen_mtp.profiles.dockerrun import ContainerRun, read_env_file, read_run
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.identify import Identity, by_vocabulary, identify, python_file
from pytest_qwen_mtp.profiles.image import Image, read_image
from pytest_qwen_mtp.profiles.model import Evidence, NotSeen, Problem, Word
from pytest_qwen_mtp.profiles.pip_pins import PipPin, read_pins
from pytest_qwen_mtp.profiles.shell.branches import Decisions
from pytest_qwen_mtp.profiles.shell.interpreter import Shell
from pytest_qwen_mtp.profiles.shell.lints import lint
from pytest_qwen_mtp.profiles.shell.state import Program
from pytest_qwen_mtp.profiles.shell.values import Piece, Value, lines_of
from pytest_qwen_mtp.profiles.text import Given, Reference, SourceText
from pytest_qwen_mtp.profiles.wrappers import ShellCall, shell_call, unwrap

Environment = Mapping[str, "Word | None"]
MAX_NESTING = 12
_INSTALLERS = frozenset({"pip", "pip3", "uv", "python", "python3"})


@dataclass(frozen=True, slots=True)
class Start:
    """One engine process. ``words`` None: the image puts the command together by itself.

    ``demanded`` are references without a value that the start hangs on although no word shows them. ``mistakes`` are
    those that only the text of a script around it shows.
    """

    words: tuple[Word, ...] | None
    env: Environment
    identity: Identity
    image: Image | None
    files: FileView
    place: Place
    demanded: tuple[Reference, ...] = ()
    pip: PipPin | None = None
    gpus: int | None = None
    mistakes: tuple[Problem, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """What tells two starts apart: the engine's words and the image."""
        texts = None if self.words is None else tuple(word.text for word in self.words)
        return (self.identity.engine, texts, self.image.word.text if self.image else None)


@dataclass(slots=True)
class Follower:
    """Collects what one way of running a file starts. ``base`` is the folder that relative mounts are taken from."""

    decisions: Decisions
    base: Path
    image: Image | None = None
    pip: PipPin | None = None
    gpus: int | None = None
    starts: list[Start] = field(default_factory=list)
    not_seen: list[NotSeen] = field(default_factory=list)
    built: dict[str, DockerImage] = field(default_factory=dict)
    """What ``docker build -t NAME`` made in this run, by name."""
    depth: int = 0
    in_shell: bool = False

    def follow(self, program: Program) -> bool:
        """Follows one process; True where it is an engine or leads to one. Nothing is executed."""
        before = len(self.starts)
        if not program.words or self.depth >= MAX_NESTING:
            return False
        self.depth += 1
        try:
            self._follow(program)
        finally:
            self.depth -= 1
        return len(self.starts) > before

    def _follow(self, program: Program) -> None:
        words, env = program.words, program.env
        inner = unwrap(words)
        if inner is not None:
            kept = {} if inner.cleared else {name: value for name, value in env.items() if name not in inner.removed}
            within = replace(program, env={**kept, **inner.env})
            if inner.text is not None:
                self._run_text(inner.text, (), within)
            elif inner.words:
                self.follow(replace(within, words=inner.words))
            return
        called = shell_call(words)
        if called is not None:
            self._shell(called, program)
            return
        build = read_build(words)
        if build is not None:
            self._build(build, program)
            return
        if _COMPOSE.match(" ".join(word.text for word in words[:8])):
            self.not_seen.append(NotSeen("services that Compose starts from here; its file tells them", words[0].place))
            return
        run = read_run(words)
        if run is not None:
            self._container(run, program)
            return
        script = self._script(words[0], program.files)
        if script is not None:
            self.run_script(script, program)
            return
        self._pins(words)
        identity = identify(words, self.image, env)
        if identity is not None and identity.how == "image" and not self._may_serve(words, program.files):
            identity = by_vocabulary(words, env)
        # What a shell runs is told by its own words: not everything that runs in an engine's image is the engine.
        if self.in_shell and (identity is None or identity.how == "image" or words[0].text.startswith("-")):
            return
        if identity is not None and identity.server:
            self._record(program, words, identity)

    def _may_serve(self, words: Sequence[Word], files: FileView) -> bool:
        """Whether what runs in an engine's image may be that engine: not a Python file that has nothing to do with it.

        A published image brings none of its own, so one that is not here is taken for a client.
        """
        path = python_file(words) if words else None
        if path is None or self.image is None:
            return True
        text = files.read(path.text)
        if text is None:
            known = self.image.entrypoint is not None
            if known:
                self.not_seen.append(NotSeen(f"{path.text}, which runs in an engine's image, is not here", path.place))
            return not known
        return _IMPORTS_ENGINE.search(text.text) is not None

    def _record(self, program: Program, words: Sequence[Word] | None, identity: Identity) -> None:
        self.starts.append(
            Start(
                words=None if words is None else tuple(words),
                env=program.env,
                identity=identity,
                image=self.image,
                files=program.files,
                place=program.place,
                demanded=tuple(dict.fromkeys(program.demanded)),
                pip=self.pip,
                gpus=self.gpus,
            )
        )

    # -- shells -----------------------------------------------------------------------------------------------------

    def _shell(self, called: ShellCall, program: Program) -> None:
        """``bash -c TEXT``, ``bash FILE``, or a shell that reads its input."""
        if called.target is None:
            if program.stdin is not None:
                self._run(program.stdin, program.words[0], called.parameters, program, called.options)
            return
        if called.is_text:
            self._run_text(called.target, called.parameters, program, called.options)
            return
        script = self._readable(called.target, program.files)
        if script is None:
            message = f"the script {called.target.text} is not among the files"
            self.not_seen.append(NotSeen(message, called.target.place))
        else:
            self._run(script, called.target, called.parameters, program, called.options)

    def _run_text(self, text: Word, rest: Sequence[Word], program: Program, options: str = "") -> None:
        """Follows a shell text; the first of ``rest`` is its ``$0``, the others its parameters."""
        source = text.source or SourceText.at(text.text, text.place, text.references)
        begin = len(text.text) - len(text.text.lstrip())
        if any(first <= begin < last and use.given is Given.UNKNOWN for first, last, use in source.uses):
            self.not_seen.append(NotSeen("a shell text that is put together when it runs", text.place))
            return
        self._run(source, rest[0] if rest else None, rest[1:], program, options)

    def run_script(self, script: SourceText, program: Program) -> None:
        """Follows a script file: the first of the words is its name, the others its parameters."""
        shebang = _SHEBANG_OPTIONS.match(script.text)
        self._run(script, program.words[0], program.words[1:], program, shebang.group(1) if shebang else "")

    def _run(
        self, source: SourceText, name: Word | None, parameters: Sequence[Word], program: Program, options: str
    ) -> None:
        led: dict[Place, list[int]] = {}

        def launch(inner: Program) -> bool:
            before = len(self.starts)
            found = self.follow(replace(inner, demanded=(*program.demanded, *inner.demanded)))
            if found:
                led.setdefault(inner.place, []).extend(range(before, len(self.starts)))
            return found

        shell = Shell(
            source,
            self.decisions,
            launch,
            environment=program.env,
            parameters=parameters,
            name=name,
            files=program.files,
            directory=program.files.directory,
        )
        if program.stdin is not None and program.stdin is not source:
            shell.input = lines_of(Value([Piece(program.stdin.text, program.stdin, 0)]))
        shell.errexit, shell.nounset = "e" in options, "u" in options
        outer, self.in_shell = self.in_shell, True
        try:
            shell.run()
        finally:
            self.in_shell = outer
        self.not_seen.extend(shell.not_seen)
        if led:
            self._lint(source, led)

    def _lint(self, source: SourceText, led: Mapping[Place, Sequence[int]]) -> None:
        """Gives each start the mistakes in ``source`` that it suffers from; ``led``: the starts by their command."""
        for each in lint(source.text):
            place = source.place(each.offset)
            if each.commands:
                hit = [index for offset in each.commands for index in led.get(source.place(offset), ())]
            else:
                hit = [
                    index
                    for indices in led.values()
                    for index in indices
                    if any(use.place == place for word in self.starts[index].words or () for use in word.references)
                ]
            mistake = Problem(each.kind, place, each.message, each.fix)
            for index in dict.fromkeys(hit):
                start = self.starts[index]
                self.starts[index] = replace(start, mistakes=(*start.mistakes, mistake))

    def _script(self, program: Word, files: FileView) -> SourceText | None:
        """The text behind a program that is a shell script among the files."""
        if not files.mounts and not files.written:
            return None
        text = program.text
        if "/" not in text and not text.endswith(".sh"):
            path = next((f"{folder}/{text}" for folder in _PATH if files.holds(f"{folder}/{text}")), None)
            if path is None:
                return None
            program = replace(program, text=path)
        found = self._readable(program, files)
        if found is None:
            return None
        first = found.text.split("\n", 1)[0]
        is_shell = first.startswith("#!") and any(f"/{name}" in first or f" {name}" in first for name in _SHEBANGS)
        return found if is_shell or (not first.startswith("#!") and program.text.endswith(".sh")) else None

    def _readable(self, path: Word, files: FileView) -> SourceText | None:
        if path.unresolved and not path.text.startswith("/"):
            return None
        return files.read(path.text)

    # -- containers -------------------------------------------------------------------------------------------------

    def _container(self, run: ContainerRun, program: Program) -> None:
        self.not_seen.extend(run.not_seen)
        if run.image is None:
            return
        inside: dict[str, Word | None] = {}
        for path in run.env_files:
            text = self._readable(path, program.files)
            if text is None:
                self.not_seen.append(NotSeen(f"the env file {path.text} is not among the files", path.place))
            else:
                inside.update(read_env_file(text))
        for name, value in run.env.items():
            inside[name] = program.env.get(name) if value is None else value
        outer = (self.image, self.pip, self.gpus, self.in_shell)
        self.image, self.pip, self.in_shell = read_image(run.image), None, False
        self.gpus = run.cards
        built = self.built.get(image_name(run.image.text))
        mounts = self._mounts(run, program.files)
        if built is not None:
            # The name of the build is what runs; what it was built on only tells what is inside.
            self.image = replace(read_image(built.base or run.image), word=run.image)
            self.pip = built.pip
            inside, mounts = {**built.env, **inside}, {**built.mounts, **mounts}
            if run.entrypoint is None and built.entrypoint is not None:
                run = replace(run, entrypoint=built.entrypoint, args=run.args or built.command or ())
            elif run.entrypoint is None and not run.args:
                run = replace(run, args=built.command or ())
        folder = run.workdir.text if run.workdir else built.workdir if built is not None else None
        view = FileView(mounts, built.written if built is not None else {}, folder)
        given = program.stdin if run.interactive else None
        try:
            self.enter_image(run.entrypoint, replace(program, words=run.args, env=inside, files=view, stdin=given))
        finally:
            self.image, self.pip, self.gpus, self.in_shell = outer

    def _build(self, build: ContainerBuild, program: Program) -> None:
        """Remembers what a Dockerfile among the files makes, under the names that the line gives it."""
        files = program.files
        if build.file is None:
            text = program.stdin
        else:
            text = files.read(build.file.text)
            if text is None:
                self.not_seen.append(
                    NotSeen(f"the Dockerfile {build.file.text} is not among the files", build.file.place)
                )
        if text is None:
            return
        context = files.find(build.context.text) if build.context is not None else None
        image = read_dockerfile(text, context, build.args, build.target.text if build.target else None)
        self.not_seen.extend(image.not_seen)
        for tag in build.tags:
            self.built[image_name(tag.text)] = image

    def _mounts(self, run: ContainerRun, files: FileView) -> dict[str, Path]:
        """Bind mounts: a source that the outer view knows comes from there, a relative one from the base folder."""
        found: dict[str, Path] = {}
        for target, host in run.host_mounts(self.base).items():
            found[target] = files.find(str(host)) or host
        return found

    def enter_image(self, entrypoint: Sequence[Word] | None, program: Program) -> bool:
        """Follows what a container of ``self.image`` runs: the given entry point or the image's own, and the words.

        An image that is known to be an engine but not what it starts is recorded without words where none are given.
        """
        assert self.image is not None
        image = self.image
        if entrypoint is None and image.entrypoint is not None:
            entrypoint = [Word(text, image.word.place) for text in image.entrypoint]
        words = (*(entrypoint or ()), *program.words)
        if words:
            return self.follow(replace(program, words=words))
        if image.engine is None or entrypoint is not None:
            return False
        evidence = Evidence(f"image {image.word.text}", image.word.place)
        self._record(program, None, Identity(image.engine, evidence, "image"))
        return True

    def _pins(self, words: Sequence[Word]) -> None:
        """Remembers an engine release that the file itself installs before it starts it."""
        if posixpath.basename(words[0].text) in _INSTALLERS and any(word.text == "install" for word in words):
            for pin in read_pins(SourceText.at(" ".join(word.text for word in words), words[0].place), lambda _: None):
                self.pip = pin


_PATH = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin", "/app", "/opt/bin")
_COMPOSE = re.compile(
    r"(?:\S*/)?(?:(?:docker|podman|nerdctl) compose|docker-compose|podman-compose) (?:.* )?(?:up|run|start)\b"
)
_IMPORTS_ENGINE = re.compile(r"^\s*(?:from|import)\s+(?:vllm|sglang)\b|vllm serve|launch_server|llama-server", re.M)
_SHEBANG_OPTIONS = re.compile(r"#!.*sh\s+-(\w+)")
_SHEBANGS = ("sh", "bash", "dash", "ash", "zsh", "ksh")
