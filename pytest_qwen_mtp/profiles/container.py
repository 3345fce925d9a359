"""Compose services that are inference servers: the image's own program, the words, and what a Dockerfile adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_qwen_mtp.profiles.assemble import Stated, servers
from pytest_qwen_mtp.profiles.compose_model import ComposeService
from pytest_qwen_mtp.profiles.dockerfile import DockerImage, read_dockerfile
from pytest_qwen_mtp.profiles.files import FileView
from pytest_qwen_mtp.profiles.image import read_image
from pytest_qwen_mtp.profiles.model import NotSeen, Problem, ServeProfile, Word
from pytest_qwen_mtp.profiles.shell.branches import Decisions
from pytest_qwen_mtp.profiles.shell.state import Program
from pytest_qwen_mtp.profiles.start import Follower
from pytest_qwen_mtp.profiles.text import SourceText
from pytest_qwen_mtp.profiles.yamltree import Unreadable, read_text


def service_servers(
    path: str, service: ComposeService, stated: Stated, active: Sequence[str], folder: Path
) -> tuple[list[ServeProfile], list[NotSeen], list[Problem]]:
    """The servers that one Compose service starts; none where it is something else."""
    built, problems, not_seen = _build(service)
    words = _entry(service, built)
    when = None
    if service.profiles and not set(service.profiles) & set(active):
        names = " or ".join(f'"{name}"' for name in service.profiles)
        when = f"profile {names} is active"
    env: dict[str, Word | None] = {**(built.env if built else {}), **service.environment}
    mounts = {**(built.mounts if built else {}), **service.mounts}
    written = {**(built.written if built else {}), **service.written}
    files = FileView(mounts, written, service.working_dir or (built.workdir if built else None))
    image_word = (built.base if built else None) or service.image
    place = service.place

    def run(decisions: Decisions) -> Follower:
        follower = Follower(decisions, folder)
        follower.gpus = service.gpus if isinstance(service.gpus, int) else None
        entrypoint, args = words
        program = Program(args, env, files, place, service.vanished)
        if image_word is not None:
            follower.image = read_image(image_word)
            follower.pip = built.pip if built else None
            follower.enter_image(entrypoint, program)
        else:
            follower.follow(replace(program, words=(*(entrypoint or ()), *args)))
        return follower

    profiles, unseen = servers(path, service.name, place, run, stated, when)
    if built is not None and service.image is not None:
        # The service's own image name is what runs; the Dockerfile's base only tells what is inside.
        profiles = [replace(profile, image=service.image, base=built.base) for profile in profiles]
    if profiles:
        not_seen.extend(unseen)
    return profiles, not_seen, problems


def _entry(service: ComposeService, built: DockerImage | None) -> tuple[tuple[Word, ...] | None, tuple[Word, ...]]:
    """Entry point (None: the image's own) and words, after the rule that a new entry point drops the old words."""
    entrypoint, command = service.entrypoint, service.command
    if built is not None and entrypoint is None:
        entrypoint = _with_text(built.entrypoint, built.entrypoint_text)
        if command is None:
            command = _with_text(built.command, built.command_text)
    return entrypoint, command or ()


def _with_text(words: tuple[Word, ...] | None, text: SourceText | None) -> tuple[Word, ...] | None:
    """The shell form ends with its text; give that word the places of its characters."""
    if not words or text is None:
        return words
    return (*words[:-1], replace(words[-1], source=text))


def _build(service: ComposeService) -> tuple[DockerImage | None, list[Problem], list[NotSeen]]:
    """What the service's Dockerfile gives; None where it builds nothing or the Dockerfile is not here."""
    build = service.build
    if build is None:
        return None, [], []
    if build.inline is not None:
        text = build.inline
    elif build.dockerfile is None:
        return None, [], [NotSeen(f"the build of {service.name} comes from elsewhere and was not read", build.place)]
    else:
        try:
            text = SourceText.of_file(read_text(build.dockerfile), str(build.dockerfile))
        except Unreadable as error:
            if not build.dockerfile.exists():
                return None, [], [NotSeen(f"the Dockerfile {build.dockerfile} is not here", build.place)]
            return None, [error.problem], []
    image = read_dockerfile(text, build.context, build.args, build.target)
    return image, list(image.problems), list(image.not_seen)
