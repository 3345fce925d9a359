"""Scripts that would take for ever or fill the memory if they were followed: they end soon, with what could be read."""

from __future__ import annotations

import multiprocessing
import resource
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from pytest_qwen_mtp.profiles.load import LoadOptions, load

SECONDS = 2  # of processor time, for one script
BYTES = 2**30  # of memory more than the test run has
TEXT = 10_000_000  # characters of all words read

DEEP = 3000
SCRIPTS = {
    "text that doubles": "x=xxxxxxxxxx\nfor i in {1..40}; do x=$x$x; done\nvllm serve $x",
    "array that doubles": 'F=(a b)\nfor i in {1..28}; do F+=("${F[@]}"); done\nvllm serve "${F[@]}"',
    "replacement that grows": "x=aaaaaaaaaa; for i in 1 2 3 4 5 6 7 8 9; do x=${x//a/$x}; done; vllm serve $x",
    "written file that doubles": "echo x > f; for i in {1..40}; do cat f f > g; cat g > f; done; vllm serve --config f",
    "braces of a billion": "vllm serve {1..1000000000}",
    "product of braces": "vllm serve {1..99}{1..99}{1..99}{1..99}{1..99}",
    "empty loop": "while :; do :; done; vllm serve m",
    "arithmetic loop": "for ((;;)); do i=1; done; vllm serve m",
    "sequence of a billion": "for i in $(seq 1 1000000000); do :; done; vllm serve m",
    "long list": "for i in " + "a " * 20_000 + "; do :; done; vllm serve m",
    "long line": "vllm serve m " + "--x 1 " * 20_000,
    "many lines": "A+=(--x)\n" * 20_000 + 'vllm serve m "${A[@]}"',
    "recursion": "f() { f; }\nf\nvllm serve m",
    "branching recursion": "f() { f; f; }\nf\nvllm serve m",
    "mutual recursion": 'f() { g "$@" x; }\ng() { f "$@" y; }\nf a\nvllm serve m',
    "sources itself": 'source "$0"; . "$0"; vllm serve m',
    "starts itself": 'bash "$0" & bash "$0"; vllm serve m',
    "evaluates itself": 'x=\'eval "$x"\'\neval "$x"\nvllm serve m',
    "wide print": "vllm serve $(printf '%300000000d' 1)",
    "wide print into a variable": "printf -v x '%300000000s' a; vllm serve $x",
    "power of powers": "vllm serve $((9**9**9)) $((2**99999999999)) $((1 << 99999999999))",
    "slow expression": "[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! =~ ^(a+)+$ ]] && x=1; vllm serve m",
    "slow pattern": "case aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab in " + "*a" * 20 + "*c) ;; esac; vllm serve m",
    "slow extended pattern": "case aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab in +(+(+(a)))c) ;; esac; vllm serve m",
    "slow trim": "x=" + "a" * 40 + "b; vllm serve ${x##" + "*a" * 20 + "*c}",
    "nested substitutions": "x=" + "$(echo " * DEEP + "a" + ")" * DEEP + "\nvllm serve $x",
    "nested subshells": "( " * DEEP + "vllm serve m" + " )" * DEEP,
    "nested groups": "{ " * DEEP + "vllm serve m" + "; }" * DEEP,
    "nested conditions": "if true; then\n" * DEEP + "vllm serve m\n" + "fi\n" * DEEP,
    "nested arithmetic": "vllm serve $((" + "(" * DEEP + "1" + ")" * DEEP + "))",
    "nested tests": "[[ " + "( " * DEEP + "a" + " )" * DEEP + " ]] && vllm serve m",
    "nested defaults": "vllm serve " + "${A:-" * DEEP + "x" + "}" * DEEP,
    "nested braces": "vllm serve " + "{a," * DEEP + "x" + "}" * DEEP,
    "sixty switches": "".join(f'[ -n "$V{i}" ] && A+=(--f{i})\n' for i in range(60)) + 'vllm serve m "${A[@]}"',
    "sixty files": "".join(f"[ -f /x{i} ] && A+=(--f{i})\n" for i in range(60)) + 'vllm serve m "${A[@]}"',
    "sixty choices": "".join(f"case $V{i} in a) A+=(a);; b) A+=(b);; esac\n" for i in range(60)) + "vllm serve $A",
    "names of themselves": "declare -n a=b; declare -n b=a; c=c; d=e; e=d+1; vllm serve $a ${!c} $((c)) $((d))",
    "far index": 'F[999999999999]=x; vllm serve "${F[@]}" ${#F[@]} "${F[@]:5}" ${F:99999999999999999999}',
    "endless input": "while read -r x; do A+=$x; done < /dev/zero; y=$(cat /dev/zero); vllm serve $y",
    "endless output": "set -- $(yes); vllm serve $#",
}


def _child(script: Path, answer: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + BYTES,) * 2)
    loaded = load([script], LoadOptions())
    answer.send(sum(len(word.text) for profile in loaded.profiles for each in profile.commands for word in each.words))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits are set as Linux knows them")
@pytest.mark.parametrize("name", SCRIPTS)
def test_reading_ends_soon_and_small(name: str, tmp_path: Path) -> None:
    script = tmp_path / "start.sh"
    script.write_text(f"#!/bin/bash\n{SCRIPTS[name]}\n", encoding="utf-8")
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(script, sending))
    child.start()
    sending.close()
    child.join(60)
    child.kill()
    assert child.exitcode == 0, f"ended with {child.exitcode} (-24: more than {SECONDS} s; 1: an exception)"
    assert receiving.recv() < TEXT
