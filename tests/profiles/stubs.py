"""The programs a launch script finds on its PATH while a test watches it: recorders, wrappers, plain coreutils."""

from __future__ import annotations

import shutil
from pathlib import Path

RECORDED = ("vllm", "python", "python3", "sglang", "llama-server", "docker", "podman", "nerdctl")
"""Programs whose words and environment are written down. They print nothing and succeed."""

REAL = (
    *(
        "awk",
        "basename",
        "cat",
        "cut",
        "date",
        "dirname",
        "echo",
        "expr",
        "getopt",
        "false",
        "printf",
        "test",
        "true",
        "grep",
        "head",
        "mkdir",
        "nice",
        "nohup",
    ),
    *("paste", "pwd", "readlink", "realpath", "sed", "seq", "setsid", "sort", "tee", "timeout", "touch", "tr"),
    *("uniq", "wc", "xargs"),
)
"""Programs that a script may need for its own text work; harmless, since scripts run in a folder of their own."""

SILENT = (
    *("apt-get", "chmod", "chown", "curl", "df", "free", "fuser", "git", "hf", "hostname", "huggingface-cli", "id"),
    *("jq", "kill", "killall", "ln", "ls", "lsof", "lspci", "modprobe", "module", "nc", "nproc", "nvidia-smi", "pgrep"),
    *("pip", "pip3", "pkill", "ray", "rm", "rocm-smi", "sleep", "ss", "sysctl", "systemctl", "tail", "uname", "wget"),
    *("which", "whoami", "stty", "ssh-add", "nvidia-ctk"),
)
"""Programs that touch the machine, the network or the clock: they do nothing, print what the test gives, succeed."""

WRAPPERS = (
    *("chrt", "conda", "dumb-init", "flock", "gosu", "ionice", "mamba", "micromamba", "numactl", "pixi", "poetry"),
    *(
        "apptainer",
        "screen",
        "sg",
        "singularity",
        "srun",
        "ssh",
        "sshpass",
        "stdbuf",
        "su",
        "sudo",
        "systemd-run",
        "taskset",
        "tini",
        "tmux",
        "unbuffer",
        "uv",
        "uvx",
    ),
)
"""Programs that start another one: they skip their own options as the real ones do and run the rest."""

_RECORDER = r"""#!{bash} -p
name=$0
[[ $0 == "{bin}/"* ]] && name=${{0##*/}}
file="{records}/$EPOCHREALTIME.$$"
{{ printf '%s\0' "$name" "$@"; printf '\1\0'; cat "/proc/$$/environ"; printf '\2\0'; }} > "$file"
set -- "{records}"/*
# A script that restarts its server for ever is stopped here.
(( $# < {limit} )) || builtin kill -9 0
"""

_SILENT = r"""#!{bash} -p
text="{prints}/${{0##*/}}"
[[ ! -e $text ]] || cat "$text"
"""

_WRAPPER = r"""#!{bash} -p
name=${0##*/}
# skip VALUED...: drop leading options, those named with the word behind them.
case $name in
  sudo) valued=' -u -g -p -C -D -h -R -T -U --user --group --chdir ' ;;
  numactl) valued=' -N -m -C -i -p --cpunodebind --membind --physcpubind --interleave --preferred ' ;;
  ionice) valued=' -c -n -p ' ;;
  flock) valued=' -w -E --timeout ' ;;
  stdbuf) valued=' -i -o -e ' ;;
  srun) valued=' -N -n -p -c -t -J -w -A -o -e -G --gres --nodes --ntasks --partition --time --job-name
    --cpus-per-task --output --error --nodelist --gpus --mem --container-image --container-mounts ' ;;
  conda|mamba|micromamba) valued=' -n -p --name --prefix --cwd ' ;;
  uv) valued=' --with --python -p --project --directory --extra --group --env-file --package --index-url ' ;;
  uvx) valued=' --from --with --python -p --index-url ' ;;
  pixi) valued=' -e --environment --manifest-path ' ;;
  tmux) valued=' -s -n -c -x -y -e -F -t -ds ' ;;
  apptainer|singularity) valued=' -B --bind -H --home -W --workdir --pwd --env --env-file ' ;;
  sshpass) valued=' -p -f ' ;;
  systemd-run) valued=' -p -u -E --property --unit --slice --working-directory ' ;;
  *) valued=' ' ;;
esac
case $name in
  conda|mamba|micromamba|uv|pixi|poetry) [[ ${1-} == run ]] || exit 0; shift ;;
  apptainer|singularity) [[ ${1-} == exec ]] || exit 0; shift ;;
  tmux)
    case ${1-} in
      new|new-session|new-window|neww|split-window) shift ;;
      send-keys|send)
        shift
        while [[ ${1-} == -* ]]; do if [[ $1 == -t ]]; then shift; fi; shift; done
        exec bash -c "$1" ;;
      *) exit 0 ;;
    esac ;;
  screen)
    while [[ ${1-} == -* ]]; do
      case $1 in
        -X) exit 0 ;;
        -*S|-t|-h|-c|-Logfile|-T) shift 2 ;;
        *) shift ;;
      esac
    done
    exec "$@" ;;
  ssh)
    while [[ ${1-} == -* ]]; do
      case $1 in -[bcDEeFIiJLlmOopQRSWw]) shift 2 ;; *) shift ;; esac
    done
    shift
    exec sh ${1+-c "$*"} ;;
  su|sg)
    while (( $# )); do [[ $1 == -c ]] && exec bash -c "$2"; shift; done
    exit 0 ;;
esac
while [[ ${1-} == -* || ( $name == sudo && ${1-} == [A-Za-z_]*=* ) ]]; do
  case $1 in
    --) shift; break ;;
    -*) if [[ $valued == *[[:space:]]"$1"[[:space:]]* ]]; then shift; fi; shift ;;
    *) export "${1?}"; shift ;;
  esac
done
case $name in
  taskset|chrt|gosu|flock|apptainer|singularity) shift ;;
  tmux) (( $# == 1 )) && exec sh -c "$1" ;;
esac
(( $# )) || exit 0
exec "$@"
"""

# A login shell would read the files of whoever runs the tests, and their PATH.
_SHELL = r"""#!{bash} -p
options=()
while [[ ${{1-}} == [-+]?* ]]; do
  case $1 in
    --login|-l) shift ;;
    -[a-zA-Z]*)
      without=${{1//l/}}
      options+=("$without"); shift
      case $without in *c*|*s*) break ;; *o|*O) options+=("$1"); shift ;; esac ;;
    *) break ;;
  esac
done
exec -a "${{0##*/}}" {real} "${{options[@]}}" "$@"
"""

# `env -i` would take away the PATH on which the recorders are.
_ENV = r"""#!{bash} -p
case ${{1-}} in
  -i|-|--ignore-environment) shift; set -- -i "PATH=$PATH" "BASH_ENV=$BASH_ENV" "$@" ;;
esac
exec {real} "$@"
"""

# `kill` is taken from PATH; a folder or a limit that only the target machine has is granted.
_PRELUDE = r"""
enable -n kill
cd() { builtin cd "$@" 2>/dev/null || [[ ${!#} == /* ]]; }
ulimit() { builtin ulimit "$@" 2>/dev/null || :; }
"""


def lay_out(folder: Path, limit: int) -> dict[str, str]:
    """Fills ``folder`` with ``bin``, ``records``, ``prints``; returns the whole environment a script gets.

    At ``limit`` recorded starts the script is killed.
    """
    bash = shutil.which("bash")
    assert bash is not None, "these tests need bash"
    places = {name: folder / name for name in ("bin", "records", "prints")}
    for place in places.values():
        place.mkdir(parents=True)
    programs = folder / "programs"
    programs.mkdir()
    texts = {
        "recorder": _RECORDER.format(bash=bash, limit=limit, **places),
        "silent": _SILENT.format(bash=bash, **places),
        "wrapper": _WRAPPER.replace("{bash}", bash),
        "bash": _SHELL.format(bash=bash, real=bash),
        "sh": _SHELL.format(bash=bash, real=shutil.which("sh")),
        "env": _ENV.format(bash=bash, real=shutil.which("env")),
    }
    for name, text in texts.items():
        (programs / name).write_text(text, encoding="utf-8")
        (programs / name).chmod(0o755)
    for kind, names in (("recorder", RECORDED), ("silent", SILENT), ("wrapper", WRAPPERS)):
        for name in names:
            (places["bin"] / name).symlink_to(programs / kind)
    for name in ("bash", "sh", "env"):
        (places["bin"] / name).symlink_to(programs / name)
    for name in REAL:
        found = shutil.which(name)
        if found is not None:
            (places["bin"] / name).symlink_to(found)
    prelude = folder / "prelude.sh"
    prelude.write_text(_PRELUDE, encoding="utf-8")
    return {"PATH": str(places["bin"]), "BASH_ENV": str(prelude), "LC_ALL": "C.UTF-8"}


def recorder(folder: Path) -> Path:
    """The recording program of a laid-out ``folder``, for engines that are called by a path."""
    return folder / "programs" / "recorder"
