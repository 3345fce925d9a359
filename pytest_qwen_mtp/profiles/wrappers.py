"""Programs that start another program: which of their words belong to them, and where the other begins.

Option tables by the manual pages of coreutils 9, util-linux 2.39, numactl 2.0, sudo 1.9, tini, dumb-init, conda, uv,
Slurm's srun and Open MPI's mpirun.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pytest_qwen_mtp.profiles.model import Word
from pytest_qwen_mtp.profiles.text import Reference, SourceText

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Wrapper:
    """``values``: options with a separate value. ``skip``: own words before the other program. ``assigns``: takes
    ``NAME=value`` words. ``subcommand``: words of which one must come first (``uv run``). ``text``: the option whose
    value is a shell text (``script -c``)."""

    values: frozenset[str] = frozenset()
    skip: int = 0
    assigns: bool = False
    subcommand: tuple[str, ...] = ()
    text: str | None = None


def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PLAIN = Wrapper()
_CONTAINER_FILE: Final = _options("-B --bind -W --workdir --pwd --cwd --env --env-file -H --home -o --overlay --mount")
WRAPPERS: Final[dict[str, Wrapper]] = {
    "env": Wrapper(_options("-u --unset -C --chdir -S --split-string"), assigns=True),
    "sudo": Wrapper(
        _options("-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -T -r -t -U -R"), assigns=True
    ),
    "doas": Wrapper(_options("-u -C")),
    "nohup": _PLAIN,
    "setsid": _PLAIN,
    "nice": Wrapper(_options("-n --adjustment")),
    "ionice": Wrapper(_options("-c --class -n --classdata")),
    "chrt": Wrapper(_options("-T -P -D"), skip=1),
    "taskset": Wrapper(skip=1),
    "numactl": Wrapper(
        _options(
            "-i -w -N -C -m -l -p -P -L -o -S -f -M --interleave --cpunodebind --physcpubind --membind --preferred"
        )
    ),
    "numawrap": _PLAIN,
    "time": Wrapper(_options("-f --format -o --output")),
    "timeout": Wrapper(_options("-s --signal -k --kill-after"), skip=1),
    "stdbuf": Wrapper(_options("-i --input -o --output -e --error")),
    "unbuffer": _PLAIN,
    "catchsegv": _PLAIN,
    "prlimit": _PLAIN,
    "systemd-run": Wrapper(_options("-p --property -u --unit --slice -E --setenv --uid --gid -H -M --description")),
    "systemd-inhibit": Wrapper(_options("--what --who --why --mode")),
    "systemd-cat": Wrapper(_options("-t --identifier -p --priority")),
    "tini": Wrapper(_options("-p -e")),
    "tini-static": Wrapper(_options("-p -e")),
    "docker-init": Wrapper(_options("-p -e")),
    "dumb-init": Wrapper(_options("-r --rewrite")),
    "catatonit": _PLAIN,
    "my_init": _PLAIN,
    "gosu": Wrapper(skip=1),
    "su-exec": Wrapper(skip=1),
    "setpriv": Wrapper(_options("--reuid --regid --groups --inh-caps --bounding-set --ambient-caps")),
    "s6-setuidgid": Wrapper(skip=1),
    "with-contenv": _PLAIN,
    "runuser": Wrapper(_options("-u --user -g --group -G -s --shell"), text="-c"),
    "su": Wrapper(_options("-g --group -G -s --shell"), text="-c"),
    "script": Wrapper(_options("-I -O -B -T -m -E -o"), text="-c"),
    "flock": Wrapper(_options("-w --timeout -E --conflict-exit-code"), skip=1, text="-c"),
    "chroot": Wrapper(_options("--userspec --groups"), skip=1),
    "nsenter": Wrapper(_options("-t --target -S -G")),
    "strace": Wrapper(_options("-e -o -p -s -E -u")),
    "gdb": Wrapper(_options("-ex -x")),
    "nsys": Wrapper(
        _options("-o --output -t --trace -y --delay -d --duration -w -c -s"), subcommand=("profile", "launch")
    ),
    "py-spy": Wrapper(_options("-o --output -r --rate -d --duration -f --format"), subcommand=("record", "top")),
    "opentelemetry-instrument": Wrapper(_options("--service_name --traces_exporter --metrics_exporter")),
    "ddtrace-run": _PLAIN,
    "cgexec": Wrapper(_options("-g")),
    "perf": Wrapper(_options("-e -o -F -g --call-graph"), subcommand=("record", "stat")),
    "proxychains4": Wrapper(_options("-f")),
    "sg": Wrapper(skip=1, text="-c"),
    "sshpass": Wrapper(_options("-p -f -d -P")),
    "apptainer": Wrapper(_CONTAINER_FILE, skip=1, subcommand=("exec",)),
    "singularity": Wrapper(_CONTAINER_FILE, skip=1, subcommand=("exec",)),
    "accelerate": Wrapper(_options("--num_processes --config_file"), subcommand=("launch",)),
    "uv": Wrapper(
        _options(
            "--python -p --with --with-editable --with-requirements --extra --group --env-file --project --directory "
            "--index --index-url --extra-index-url --package --cache-dir --config-file --torch-backend"
        ),
        subcommand=("run",),
    ),
    "uvx": Wrapper(_options("--from --with --python -p --index --index-url --extra-index-url --torch-backend")),
    "poetry": Wrapper(_options("-C --directory -P --project"), subcommand=("run",)),
    "pipenv": Wrapper(subcommand=("run",)),
    "pdm": Wrapper(_options("-p --project"), subcommand=("run",)),
    "hatch": Wrapper(_options("-e --env"), subcommand=("run",)),
    "pixi": Wrapper(_options("-e --environment --manifest-path"), subcommand=("run",)),
    "conda": Wrapper(_options("-n --name -p --prefix --cwd"), subcommand=("run",)),
    "mamba": Wrapper(_options("-n --name -p --prefix --cwd"), subcommand=("run",)),
    "micromamba": Wrapper(_options("-n --name -p --prefix --cwd -r --root-prefix"), subcommand=("run",)),
    "srun": Wrapper(
        _options(
            "-A -a -b -c -C -d -D -e -G -i -J -m -M -n -N -o -p -q -r -t -w -x --gpus --nodes --ntasks --cpus-per-task "
            "--partition --time --account --job-name --mem --gres --nodelist --container-image --container-mounts"
        )
    ),
    "mpirun": Wrapper(
        _options("-np -n -c -N -H --host -hostfile --hostfile -machinefile --map-by --bind-to"), assigns=False
    ),
    "mpiexec": Wrapper(_options("-np -n -N -H --host -hostfile --hostfile -machinefile --map-by --bind-to")),
    "op": Wrapper(_options("--env-file --account"), subcommand=("run",)),
    "doppler": Wrapper(_options("-p --project -c --config"), subcommand=("run",)),
    "infisical": Wrapper(_options("--env --path --projectId"), subcommand=("run",)),
    "dotenv": Wrapper(_options("-f --file"), subcommand=("run",)),
    "direnv": Wrapper(skip=1, subcommand=("exec",)),
    "docker": Wrapper(
        _options("-e --env --env-file -u --user -w --workdir --detach-keys"), skip=1, subcommand=("exec",)
    ),
    "podman": Wrapper(
        _options("-e --env --env-file -u --user -w --workdir --detach-keys"), skip=1, subcommand=("exec",)
    ),
}
SHELLS: Final = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "busybox"})
_TERMINALS: Final = frozenset({"tmux", "screen"})


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """``words`` of the inner program, or ``text``: a shell text that is run. ``env`` is what the wrapper adds.

    ``removed`` names the variables it takes away; ``cleared`` that it starts from an empty environment.
    """

    words: tuple[Word, ...] = ()
    text: Word | None = None
    env: Mapping[str, Word] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    cleared: bool = False


def unwrap(words: Sequence[Word]) -> Unwrapped | None:
    """What stands inside the outermost wrapper of ``words``; None where the first word is none."""
    name = posixpath.basename(words[0].text)
    if name in _TERMINALS:
        return _terminal(name, words)
    if name == "ssh":
        return _remote(words)
    if name == "tools.sh":
        return _llamacpp_tool(words)
    wrapper = WRAPPERS.get(name)
    if wrapper is None:
        return None
    if wrapper.text:
        for at, word in enumerate(words[1:-1], start=1):
            if word.text == wrapper.text or re.fullmatch(r"-[a-z]*c", word.text):
                return Unwrapped(text=words[at + 1])
            if word.text == "--":
                break
    index = 1
    env: dict[str, Word] = {}
    removed: list[str] = []
    cleared, subcommand, skip = False, not wrapper.subcommand, wrapper.skip
    while index < len(words):
        word = words[index]
        text = word.text
        if text == "--":
            index += 1
            if not wrapper.assigns:
                break
            continue
        if text.startswith("-") and len(text) > 1:
            value = words[index + 1] if index + 1 < len(words) else None
            if name == "env":
                cleared = cleared or text in ("-i", "--ignore-environment")
                if text in ("-u", "--unset") and value is not None:
                    removed.append(value.text)
                if text in ("-S", "--split-string") and value is not None:
                    return Unwrapped(text=value, env=env, removed=tuple(removed), cleared=cleared)
            if name == "taskset" and text in ("-p", "--pid"):
                return None
            given = _ASSIGNMENT.match(value.text) if value is not None and text in ("-e", "--env") else None
            if given and value is not None and "exec" in wrapper.subcommand:
                env[given.group(1)] = replace(value, text=value.text[given.end() :], source=None)
            index += 2 if text in wrapper.values else 1
            continue
        match = _ASSIGNMENT.match(text) if wrapper.assigns else None
        if match:
            env[match.group(1)] = replace(word, text=text[match.end() :], source=None)
        elif not subcommand:
            if text not in wrapper.subcommand:
                return None
            subcommand = True
        elif skip:
            skip -= 1
        else:
            break
        index += 1
    if not subcommand or index >= len(words):
        return None
    return Unwrapped(tuple(words[index:]), None, env, tuple(removed), cleared)


@dataclass(frozen=True, slots=True)
class ShellCall:
    """``target`` is a shell text (``is_text``) or a script file; None where the shell reads its input."""

    target: Word | None
    is_text: bool
    parameters: tuple[Word, ...]
    options: str = ""
    """The letters of the options given to the shell itself (``bash -eu``)."""


def shell_call(words: Sequence[Word]) -> ShellCall | None:
    """``bash [options] [-c] TEXT|FILE args…``; None where the first word is no shell."""
    name = posixpath.basename(words[0].text)
    if name not in SHELLS:
        return None
    index = 1
    if name == "busybox":
        if len(words) < 2 or words[1].text not in SHELLS:
            return None
        index = 2
    is_text = reads_input = False
    options = ""
    while index < len(words):
        text = words[index].text
        if text in ("--rcfile", "--init-file", "-o", "+o", "-O", "+O"):
            index += 2
        elif text in ("--", "-"):
            index += 1
            break
        elif text.startswith("--"):
            index += 1
        elif text[:1] in ("-", "+") and len(text) > 1:
            options += text[1:] if text[0] == "-" else ""
            is_text = is_text or (text[0] == "-" and "c" in text)
            reads_input = reads_input or (text[0] == "-" and "s" in text)
            index += 2 if text.endswith("o") and "c" not in text else 1
        else:
            break
    if index >= len(words) or (reads_input and not is_text):
        return ShellCall(None, is_text, tuple(words[index:]), options)
    return ShellCall(words[index], is_text, tuple(words[index + 1 :]), options)


def _terminal(name: str, words: Sequence[Word]) -> Unwrapped | None:
    """``tmux new-session … 'text'`` and ``screen -dmS name program …``; ``tmux send-keys 'text' Enter``."""
    takes = (
        _options("-s -t -c -n -F -x -y -e -f -L -S") if name == "tmux" else _options("-S -c -e -h -Logfile -p -T -t -s")
    )
    index = 1
    rest: list[Word] = []
    while index < len(words):
        text = words[index].text
        if name == "screen" and re.fullmatch(r"-[a-zA-Z]*S", text):
            index += 2
        elif (text.startswith("-") and not rest) or (name == "tmux" and text.startswith("-") and len(rest) == 1):
            index += 2 if text in takes else 1
        else:
            rest.append(words[index])
            index += 1
            if name == "screen":
                rest.extend(words[index:])
                break
    if name == "screen":
        return Unwrapped(tuple(rest)) if rest else None
    if len(rest) < 2 or not re.match(r"new|split|respawn|send", rest[0].text):
        return None
    inner = [word for word in rest[1:] if word.text not in ("Enter", "C-m", ";")]
    return Unwrapped(text=inner[0]) if len(inner) == 1 else Unwrapped(tuple(inner))


def _remote(words: Sequence[Word]) -> Unwrapped | None:
    takes = _options("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w")
    index = 1
    while index < len(words) and words[index].text.startswith("-"):
        index += 2 if words[index].text in takes else 1
    rest = words[index + 1 :]
    if not rest:  # the shell of the other machine reads what is piped in
        return Unwrapped((replace(words[0], text="sh", source=None),), cleared=True)
    return Unwrapped(text=_joined(rest), cleared=True)


# llama.cpp .devops/tools.sh: the program behind the first word of its "full" images.
_TOOLS: Final = {
    **dict.fromkeys(("--server", "-s"), "./llama-server"),
    **dict.fromkeys(("--run", "-r", "--run-legacy", "-l"), "./llama-cli"),
    **dict.fromkeys(("--bench", "-b", "--perplexity", "-p"), "./llama-bench"),
    **dict.fromkeys(("--quantize", "-q", "--convert", "-c", "--all-in-one", "-a"), "true"),
}


def _llamacpp_tool(words: Sequence[Word]) -> Unwrapped | None:
    program = _TOOLS.get(words[1].text) if len(words) > 1 else None
    return None if program is None else Unwrapped((replace(words[1], text=program, source=None), *words[2:]))


def _joined(words: Sequence[Word]) -> Word:
    """The words with blanks between them: what another shell gets to read, quotes once more taken away."""
    if len(words) == 1:
        return words[0]
    pieces: list[tuple[str, SourceText, int, tuple[Reference, ...]]] = []
    for index, word in enumerate(words):
        source = word.source or SourceText.at(word.text, word.place, word.references)
        pieces.extend([(" ", source, 0, ())] if index else [])
        pieces.append((word.text, source, 0, word.references))
    text = SourceText.of_pieces(pieces)
    references = tuple(dict.fromkeys(use for word in words for use in word.references))
    return Word(text.text, words[0].place, references, text)
