"""A Dockerfile → what its image starts: base, entry point, command, environment, files, installed release.

Nothing is built. Instructions take effect as the Dockerfile reference and BuildKit's ``dockerfile2llb`` have it.
"""

from __future__ import annotations

import glob
import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_qwen_mtp.findings import Place
from pytest_qwen_mtp.profiles.dockerfile_expand import Malformed, Scope, expand, split_words
from pytest_qwen_mtp.profiles.dockerfile_lines import Instruction, cut, read_instructions
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.model import NotSeen, Problem, Word
from pytest_qwen_mtp.profiles.pip_pins import PipPin, read_pins
from pytest_qwen_mtp.profiles.text import Anchor, SourceText

_KNOWN = re.compile(
    r"ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|MAINTAINER|ONBUILD|RUN|SHELL|STOPSIGNAL|USER|VOLUME"
    r"|WORKDIR"
)
_INTO = re.compile(r"(?<![<\d])>>?\s*([^\s<>&;|]+)")
_TEE = re.compile(r"\btee\s+(?:-a\s+)?([^\s<>&;|-][^\s<>&;|]*)")
_LIMIT = 200
"""Files that one COPY pattern may match."""


@dataclass(frozen=True, slots=True)
class DockerImage:
    """What the chosen stage of a Dockerfile gives.

    ``base`` is the image behind all stages (None for ``scratch`` or where none is named). ``entrypoint`` and
    ``command`` are None where the base decides, ``()`` where they are taken away; the ``…_text`` is the shell form's
    own text with the place of every character. ``mounts`` and ``written`` hold the files that COPY and ADD put into
    the image, by container path. ``pip`` is the last engine that a RUN line installs, in the chosen stage or one it
    builds on.
    """

    base: Word | None
    place: Place
    entrypoint: tuple[Word, ...] | None = None
    entrypoint_text: SourceText | None = None
    command: tuple[Word, ...] | None = None
    command_text: SourceText | None = None
    env: Mapping[str, Word] = field(default_factory=dict)
    workdir: str | None = None
    mounts: Mapping[str, Path] = field(default_factory=dict)
    written: Mapping[str, SourceText] = field(default_factory=dict)
    pip: PipPin | None = None
    problems: tuple[Problem, ...] = ()
    not_seen: tuple[NotSeen, ...] = ()

    @property
    def pip_version(self) -> str | None:
        """The release that pip installs, None where no line fixes one."""
        return self.pip.version if self.pip is not None else None


@dataclass(slots=True)
class _Stage:
    """The state of one stage while its instructions are read."""

    base: Word | None
    place: Place
    name: str | None = None
    entrypoint: tuple[Word, ...] | None = None
    entrypoint_text: SourceText | None = None
    command: tuple[Word, ...] | None = None
    command_text: SourceText | None = None
    command_set: bool = False
    env: dict[str, Word] = field(default_factory=dict)
    args: dict[str, Word | None] = field(default_factory=dict)
    workdir: str | None = None
    shell: tuple[Word, ...] | None = None
    mounts: dict[str, Path] = field(default_factory=dict)
    written: dict[str, SourceText] = field(default_factory=dict)
    pip: PipPin | None = None

    def child(self, place: Place, name: str | None) -> _Stage:
        return _Stage(
            base=self.base,
            place=place,
            name=name,
            entrypoint=self.entrypoint,
            entrypoint_text=self.entrypoint_text,
            command=self.command,
            command_text=self.command_text,
            env=dict(self.env),
            args=dict(self.args),
            workdir=self.workdir,
            shell=self.shell,
            mounts=dict(self.mounts),
            written=dict(self.written),
            pip=self.pip,
        )


def read_dockerfile(
    text: SourceText, context: Path | None, args: Mapping[str, Word | None], target: str | None = None
) -> DockerImage:
    """What the image of ``text`` starts, built in the folder ``context`` with ``args`` up to the stage ``target``.

    Never raises; what is wrong stands in ``problems`` (kind ``invalid-dockerfile``).
    """
    return _Reader(text, context, args).read(target)


class _Reader:
    def __init__(self, text: SourceText, context: Path | None, args: Mapping[str, Word | None]) -> None:
        self.text = text
        self.context = context
        self.given = {name: value for name, value in args.items() if value is not None}
        self.globals: dict[str, Word | None] = {}
        self.stages: list[_Stage] = []
        self.problems: list[Problem] = []
        self.not_seen: list[NotSeen] = []
        self.escape = "\\"

    def read(self, target: str | None) -> DockerImage:
        instructions = read_instructions(self.text)
        self.escape = instructions.escape
        for instruction in instructions.items:
            if not self._take(instruction):
                break
        place = self.text.place(0)
        stage = self._chosen(target, place)
        if stage is None:
            return DockerImage(None, place, problems=tuple(self.problems), not_seen=tuple(self.not_seen))
        return DockerImage(
            base=stage.base,
            place=stage.place,
            entrypoint=stage.entrypoint,
            entrypoint_text=stage.entrypoint_text,
            command=stage.command,
            command_text=stage.command_text,
            env=stage.env,
            workdir=stage.workdir,
            mounts=stage.mounts,
            written=stage.written,
            pip=stage.pip,
            problems=tuple(self.problems),
            not_seen=tuple(self.not_seen),
        )

    def _chosen(self, target: str | None, place: Place) -> _Stage | None:
        if not self.stages:
            if not self.problems:
                self._wrong(place, "no FROM: a Dockerfile starts from an image", "begin the file with FROM IMAGE")
            return None
        if not target:
            return self.stages[-1]
        found = self._stage(target)
        if found is None:
            names = ", ".join(stage.name for stage in self.stages if stage.name) or "none has a name"
            self._wrong(place, f"no stage is called {target!r}; the stages are: {names}", "name one of them as target")
        return found

    def _stage(self, name: str) -> _Stage | None:
        for stage in reversed(self.stages):
            if stage.name is not None and stage.name == name.lower():
                return stage
        return self.stages[int(name)] if name.isdecimal() and int(name) < len(self.stages) else None

    def _wrong(self, place: Place, message: str, fix: str | None = None) -> None:
        self.problems.append(Problem("invalid-dockerfile", place, message, fix))

    def _take(self, instruction: Instruction) -> bool:
        """Whether the reading goes on: behind a word that is no instruction nothing can be trusted."""
        keyword = instruction.keyword
        if not _KNOWN.fullmatch(keyword):
            self._wrong(
                instruction.place,
                f"{keyword[:40]!r} is no Dockerfile instruction",
                "correct the word, or end the line before it with a backslash",
            )
            return False
        if keyword == "ARG":
            self._arg(instruction)
        elif keyword == "FROM":
            self._from(instruction)
        elif not self.stages:
            self._wrong(instruction.place, f"{keyword} stands before the first FROM", "move it behind FROM")
            return False
        elif keyword in _HANDLERS:
            for heredoc in instruction.heredocs:
                if not heredoc.closed:
                    self._wrong(instruction.place, f"the here-document {heredoc.name[:40]} has no end", "write its end")
            _HANDLERS[keyword](self, instruction, self.stages[-1])
        return True

    def _scope(self, stage: _Stage | None) -> Scope:
        if stage is None:
            return Scope(self.globals, self.escape)
        return Scope({**stage.args, **stage.env}, self.escape)

    def _fill(self, text: SourceText, scope: Scope) -> Word:
        """``text`` filled in; where the builder would refuse it, that is told and the text stays as written."""
        try:
            return expand(text, scope)
        except Malformed as malformed:
            self._wrong(malformed.place, f"the builder refuses this word: {malformed}", "correct it")
            return Word(text.text, text.place(0), text.references())

    def _arg(self, instruction: Instruction) -> None:
        stage = self.stages[-1] if self.stages else None
        for word in split_words(instruction.rest, self.escape):
            name, equals, _ = word.text.partition("=")
            value: Word | None = None
            if name in self.given:
                value = self.given[name]
            elif equals:
                value = self._fill(cut(word, [(len(name) + 1, len(word.text))]), self._scope(stage))
            elif stage is not None:
                value = self.globals.get(name) or stage.args.get(name)
            (self.globals if stage is None else stage.args)[name] = value

    def _from(self, instruction: Instruction) -> None:
        words = split_words(instruction.rest, self.escape)
        while words and words[0].text.startswith("--"):
            words.pop(0)
        if not words:
            self._wrong(instruction.place, "FROM names no image", "write FROM IMAGE")
            self.stages.append(_Stage(None, instruction.place))
            return
        name = words[2].text.lower() if len(words) > 2 and words[1].text.lower() == "as" else None
        image = self._fill(words[0], Scope(self.globals, self.escape))
        parent = self._stage(image.text) if not image.text.isdecimal() else None
        if parent is not None:
            self.stages.append(parent.child(instruction.place, name))
            return
        base = None if image.text == "scratch" else image
        self.stages.append(_Stage(base, instruction.place, name))

    def _env(self, instruction: Instruction, stage: _Stage) -> None:
        scope = self._scope(stage)  # all values of one ENV line see the variables as they were before it
        words = split_words(instruction.rest, self.escape)
        if not words:
            self._wrong(instruction.place, "ENV gives no variable", "write ENV NAME=value")
            return
        if "=" not in words[0].text:  # the old form: ENV NAME the whole rest
            name = words[0].text
            rest = instruction.rest
            start = rest.text.find(name) + len(name)
            start += len(rest.text[start:]) - len(rest.text[start:].lstrip())
            stage.env[name] = self._fill(cut(rest, [(start, len(rest.text))]), scope)
            return
        for word in words:
            name, equals, _ = word.text.partition("=")
            if not equals:
                self._wrong(word.place(0), f"ENV: expected NAME=value, found {name[:40]!r}", "put the value in quotes")
                continue
            stage.env[name.strip("\"'")] = self._fill(cut(word, [(len(name) + 1, len(word.text))]), scope)

    def _workdir(self, instruction: Instruction, stage: _Stage) -> None:
        given = self._fill(instruction.rest, self._scope(stage)).text
        stage.workdir = posixpath.normpath(posixpath.join(stage.workdir or "/", given))

    def _shell(self, instruction: Instruction, stage: _Stage) -> None:
        stage.shell = self._exec_form(instruction)
        if stage.shell is None:
            self._wrong(instruction.place, "SHELL expects a JSON list", 'write SHELL ["/bin/bash", "-c"]')

    def _entrypoint(self, instruction: Instruction, stage: _Stage) -> None:
        stage.entrypoint, stage.entrypoint_text = self._program(instruction, stage)
        if not stage.command_set:  # BuildKit dispatchEntrypoint: a CMD from below belongs to the old entry point
            stage.command, stage.command_text = (), None

    def _cmd(self, instruction: Instruction, stage: _Stage) -> None:
        stage.command, stage.command_text = self._program(instruction, stage)
        stage.command_set = True

    def _program(self, instruction: Instruction, stage: _Stage) -> tuple[tuple[Word, ...], SourceText | None]:
        """Exec form: its words. Shell form: the shell and one word of text."""
        words = self._exec_form(instruction)
        if words is not None:
            return words, None
        text = instruction.rest
        if text.text.startswith("[") and text.text.endswith("]"):
            self._wrong(
                text.place(0),
                f"{instruction.keyword} looks like a JSON list and is none, so a shell gets it as it stands",
                "use double quotes around every word, and no comma behind the last",
            )
        if not text.text:
            return (), None
        place = text.place(0)
        shell = stage.shell or (Word("/bin/sh", place), Word("-c", place))
        return (*shell, Word(text.text, place, text.references())), text

    def _exec_form(self, instruction: Instruction) -> tuple[Word, ...] | None:
        text = instruction.rest
        if not text.text.startswith("["):
            return None
        try:
            listed = json.loads(text.text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            return None
        # Every element is a JSON string literal: they stand in the text one after the other.
        words: list[Word] = []
        position = 1
        decoder = json.JSONDecoder()
        for each in listed:
            position = text.text.index('"', position)
            _, end = decoder.raw_decode(text.text, position)
            words.append(Word(each, text.place(position), text.references(position, end)))
            position = end
        return tuple(words)

    def _run(self, instruction: Instruction, stage: _Stage) -> None:
        files = FileView(stage.mounts, stage.written)
        scope = Scope({**stage.args, **stage.env}, self.escape)

        def read_file(path: str) -> SourceText | None:
            return files.read(posixpath.join(stage.workdir or "/", path))

        for text in (instruction.rest, *(heredoc.body for heredoc in instruction.heredocs)):
            for pin in read_pins(_filled(text, scope, shell=True), read_file):
                stage.pip = pin
        written = _written_path(instruction.rest.text) if len(instruction.heredocs) == 1 else None
        if written is not None:
            body = instruction.heredocs[0]
            where = posixpath.join(stage.workdir or "/", self._fill(SourceText(written, text.path), scope).text)
            self._place(stage, where, _filled(body.body, scope, shell=True) if body.expand else body.body)

    def _copy(self, instruction: Instruction, stage: _Stage) -> None:
        scope = self._scope(stage)
        rest = instruction.rest
        words = split_words(rest, self.escape)
        source_stage: str | None = None
        while words and words[0].text.startswith("--"):
            flag = words.pop(0)
            if flag.text.startswith("--from="):
                source_stage = self._fill(cut(flag, [(7, len(flag.text))]), scope).text
        listed = self._json_paths(rest, words)
        paths = listed if listed is not None else [self._fill(word, scope).text for word in words]
        if len(paths) < 2:
            self._wrong(instruction.place, f"{instruction.keyword} expects a source and a target", None)
            return
        *sources, target = paths
        absolute = posixpath.join(stage.workdir or "/", target)
        into = target.endswith(("/", "/.")) or target in (".", "./") or len(sources) > 1
        heredocs = iter(instruction.heredocs)
        for source in sources:
            if source.startswith("<<"):
                heredoc = next(heredocs, None)
                if heredoc is not None:
                    where = posixpath.join(absolute, heredoc.name) if into else absolute
                    body = _filled(heredoc.body, scope) if heredoc.expand else heredoc.body
                    self._place(stage, where, body)
            elif source_stage is not None:
                self._from_stage(stage, source_stage, source, absolute, into)
            elif "://" not in source and not source.startswith("git@"):
                self._from_context(stage, source, absolute, into)

    def _json_paths(self, rest: SourceText, words: list[SourceText]) -> list[str] | None:
        if not words or not words[0].text.startswith("["):
            return None
        try:
            listed = json.loads(rest.text[rest.text.index("[") :])
        except (ValueError, RecursionError):
            return None
        return listed if isinstance(listed, list) and all(isinstance(each, str) for each in listed) else None

    def _place(self, stage: _Stage, where: str, what: Path | SourceText) -> None:
        where = posixpath.normpath(where)
        if isinstance(what, SourceText):
            stage.written[where] = what
            stage.mounts.pop(where, None)
        else:
            stage.mounts[where] = what
            stage.written.pop(where, None)

    def _from_context(self, stage: _Stage, source: str, target: str, into: bool) -> None:
        if self.context is None:
            return
        inside = posixpath.normpath("/" + source).lstrip("/")  # `..` cannot leave the context
        if any(sign in inside for sign in "*?["):
            matches = sorted(glob.iglob(inside, root_dir=self.context))[:_LIMIT]
            found = [self.context / match for match in matches]
            into = True
        else:
            found = [self.context / inside]
        for path in found:
            try:
                folder = path.is_dir()
            except (OSError, ValueError):
                continue
            self._place(stage, target if folder or not into else posixpath.join(target, path.name), path)

    def _from_stage(self, stage: _Stage, name: str, source: str, target: str, into: bool) -> None:
        other = self._stage(name)
        if other is None or other is stage:
            return
        files = FileView(other.mounts, other.written)
        where = posixpath.join(target, posixpath.basename(source)) if into else target
        absolute = posixpath.normpath("/" + source.lstrip("/"))
        text = other.written.get(absolute)
        path = files.find(absolute)
        if text is not None:
            self._place(stage, where, text)
        elif path is not None:
            self._place(stage, target if path.is_dir() else where, path)


def _written_path(line: str) -> str | None:
    """The file that a shell line writes its here-document to: ``cat <<X > FILE``, ``tee FILE <<X``."""
    at = line.find("<<")
    start = max(line.rfind(sign, 0, at) for sign in ";&|") + 1
    command = re.split(r"&&|;", line[start:], maxsplit=1)[0].lstrip()
    if not command.startswith(("cat ", "tee ", "cat<", "cat>")):
        return None
    found = _TEE.search(command) or _INTO.search(command)
    return found[1] if found else None


def _filled(text: SourceText, scope: Scope, shell: bool = False) -> SourceText:
    """A here-document with its variables filled in, line by line; unchanged, with exact places, where it has none.

    The builder removes every escape; a shell (``shell``) only those before ``$``, a backquote or another one. A line
    that neither can read stays as it is.
    """
    if "$" not in text.text and "\\" not in text.text:
        return text
    pieces: list[str] = []
    anchors: list[Anchor] = []
    length = 0
    start = 0
    for line in text.text.splitlines(keepends=True):
        piece = cut(text, [(start, start + len(line))])
        try:
            filled = expand(piece, scope, quotes=False, keep_escapes=shell).text
        except Malformed:
            filled = line
        if shell:
            filled = re.sub(r"\\([$`\\])", r"\1", filled)
        place = text.place(start)
        anchors.append(Anchor(length, place.line or 1, place.column or 1))
        pieces.append(filled)
        length += len(filled)
        start += len(line)
    return SourceText("".join(pieces), text.path, anchors)


_HANDLERS = {
    "ENV": _Reader._env,
    "WORKDIR": _Reader._workdir,
    "SHELL": _Reader._shell,
    "ENTRYPOINT": _Reader._entrypoint,
    "CMD": _Reader._cmd,
    "RUN": _Reader._run,
    "COPY": _Reader._copy,
    "ADD": _Reader._copy,
}
