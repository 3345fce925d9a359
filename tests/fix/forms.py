"""One command in every form in which a deployment file can hold it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence

IMAGE = "vllm/vllm-openai:v0.30.0"
Groups = Sequence[Sequence[str]]
"""The options of a command: each with its values."""


def words(groups: Groups) -> list[str]:
    return [word for group in groups for word in group]


def quoted(groups: Groups) -> list[str]:
    """Each option with its values as a shell would want it."""
    return [" ".join(shlex.quote(word) for word in group) for group in groups]


def service(command: str, entrypoint: str = "") -> str:
    return (
        f"# kept as it is: é, and a \\ too\nservices:\n  qwen:\n    image: {IMAGE}\n{entrypoint}    command:{command}"
        "    ports: ['8000:8000']  # kept\n    environment:\n      - A=1\n"
    )


def block_list(groups: Groups) -> str:
    return service("\n" + "".join(f"      - {json.dumps(word)}\n" for word in words(groups)))


def plain_list(groups: Groups) -> str:
    lines = (f"'{word}'" if word[:1] in "{[" or word.isdigit() else word for word in words(groups))
    return service("\n" + "".join(f"    - {line}  # why\n" for line in lines))


def flow_list(groups: Groups) -> str:
    return service(" [" + ", ".join(json.dumps(word) for word in words(groups)) + "]\n")


def flow_lines(groups: Groups) -> str:
    return service(" [\n" + ",\n".join(f"        {json.dumps(word)}" for word in words(groups)) + "\n      ]\n")


def folded(groups: Groups) -> str:
    return service(" >-\n" + "".join(f"      {line}\n" for line in quoted(groups)))


def folded_one_line(groups: Groups) -> str:
    return service(" >\n      " + " ".join(quoted(groups)) + "\n")


def literal(groups: Groups) -> str:
    return service(" |\n" + "".join(f"      {line}\n" for line in quoted(groups)))


def plain(groups: Groups) -> str:
    return service("\n" + "".join(f"      {line}\n" for line in quoted(groups)))


def double_quoted(groups: Groups) -> str:
    return service(" " + json.dumps(" ".join(quoted(groups))) + "\n")


def single_quoted(groups: Groups) -> str:
    return service(" '" + " ".join(quoted(groups)).replace("'", "''") + "'\n")


def script_in_block(groups: Groups) -> str:
    lines = "".join(f"          {line} \\\n" for line in quoted(groups)).removesuffix(" \\\n")
    script = f"        set -eu\n        exec vllm serve \\\n{lines}\n"
    return service("\n      - |\n" + script, "    entrypoint: [bash, -c]\n")


def script_in_list(groups: Groups) -> str:
    script = "exec vllm serve " + " ".join(quoted(groups))
    return service(f" [{json.dumps(script)}]\n", '    entrypoint: ["bash", "-c"]\n')


def array_in_block(groups: Groups) -> str:
    lines = "".join(f"          {line}\n" for line in quoted(groups))
    script = f'        args=(\n{lines}        )\n        exec vllm serve "$${{args[@]}}"\n'
    return service("\n      - |\n" + script, "    entrypoint: [bash, -c]\n")


SCRIPT = "#!/bin/bash\n# kept\npip install vllm==0.30.0\n"


def shell_continued(groups: Groups) -> str:
    return (
        SCRIPT + "vllm serve \\\n" + "".join(f"  {line} \\\n" for line in quoted(groups)).removesuffix(" \\\n") + "\n"
    )


def shell_one_line(groups: Groups) -> str:
    return SCRIPT + "exec vllm serve " + " ".join(quoted(groups)) + " 2>&1 | tee log\n"


def shell_double(groups: Groups) -> str:
    def double(word: str) -> str:
        return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'

    return SCRIPT + "vllm serve " + " ".join(double(word) for word in words(groups))


def shell_array(groups: Groups) -> str:
    return SCRIPT + f'args=({" ".join(quoted(groups))})\nexec vllm serve "${{args[@]}}"\n'


def shell_array_lines(groups: Groups) -> str:
    lines = "".join(f"\t{line}\n" for line in quoted(groups))
    return SCRIPT + f'args=(\n{lines})\nexec vllm serve "${{args[@]}}" "$@"\n'


def docker_run(groups: Groups) -> str:
    lines = "".join(f"  {line} \\\n" for line in quoted(groups)).removesuffix(" \\\n")
    return f"#!/bin/sh\ndocker run --gpus all -p 8000:8000 \\\n  {IMAGE} \\\n{lines}\n"


YAML: tuple[Callable[[Groups], str], ...] = (
    block_list, plain_list, flow_list, flow_lines, folded, folded_one_line, literal, plain,
    double_quoted, single_quoted, script_in_block, script_in_list, array_in_block,
)  # fmt: skip
SHELL: tuple[Callable[[Groups], str], ...] = (
    shell_continued, shell_one_line, shell_double, shell_array, shell_array_lines, docker_run,
)  # fmt: skip
FORMS = (*YAML, *SHELL)


def name_of(form: Callable[[Groups], str]) -> str:
    return "compose.yaml" if form in YAML else "serve.sh"
