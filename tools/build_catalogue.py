#!/usr/bin/env python3
"""Writes what engine releases accept into ``pytest_qwen_mtp/engines/data``, read from their wheels.

    tools/build_catalogue.py vllm 0.32.0          # add or refresh one release, and show what changed
    tools/build_catalogue.py sglang 0.5.13 0.5.23
    tools/build_catalogue.py vllm --since 0.10.2  # every release the package index has, from that one on

Only sources are read, with ``ast``; nothing of a release is imported or run. The sources stay in ``--cache``, about
25 MB a release; the wheels are deleted once they are unpacked. Release candidates are left out.

What is checked when a release is added. The tool names every option, key and variable that vanishes and comes back,
which is how a declaration shows that could not be followed; each of those was looked up in the sources. Converters
and choices that could not be read are named too. ``tests/real_engines`` then compares the catalogue with the engines'
own parsers: vLLM 0.32.0 as installed, and SGLang's parser run from the unpacked sources.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from catalogue import sglang, timeline, vllm, wheels
from catalogue.source import Sources
from catalogue.values import UnknownShape

DATA = Path(__file__).resolve().parent.parent / "pytest_qwen_mtp" / "engines" / "data"
READERS = {"vllm": vllm.facts, "sglang": sglang.facts}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("engine", choices=sorted(READERS))
    parser.add_argument("versions", nargs="*", metavar="VERSION")
    parser.add_argument("--since", metavar="VERSION", help="every release of the package index from this one on")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "qwen-mtp-wheels")
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    path = arguments.data / f"{arguments.engine}.json"
    releases = timeline.split(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
    before = dict(releases)
    try:
        versions = arguments.versions or wheels.since(arguments.engine, arguments.since or "")
        for version in versions:
            folder = wheels.sources(arguments.engine, version, arguments.cache)
            releases[version] = READERS[arguments.engine](Sources(folder))
    except (wheels.NoWheel, UnknownShape) as error:
        print(f"not read: {error}", file=sys.stderr)
        return 1
    for line in changes(before, releases, versions):
        print(line)
    merged = timeline.merge(releases)
    for line in suspicious(merged):
        print(line)
    arguments.data.mkdir(parents=True, exist_ok=True)
    path.write_text(written(merged), encoding="utf-8")
    return 0


def suspicious(catalogue: Mapping[str, Any]) -> Iterator[str]:
    """What vanishes and comes back, and converters and choices that could not be read."""
    releases = catalogue["releases"]
    groups = {"option": catalogue["options"], **catalogue["keys"], **catalogue["tables"]}
    for group, timelines in groups.items():
        for name, steps in timelines.items():
            gone = [releases[start] for start, fact in steps[:-1] if fact is None]
            if gone:
                yield f"? {group} {name} is away from {', '.join(gone)} on and comes back: look it up in the sources"
    for name, steps in catalogue["options"].items():
        if any(fact and fact.get("type", "").removeprefix("optional_").startswith("other") for _, fact in steps):
            yield f"? option {name} has a converter that is not known: see catalogue/options.py"


def written(catalogue: Mapping[str, Any]) -> str:
    """Compact JSON with one line for each name, so that a change of one option is one line of a diff."""
    parts = ["{" + f'"releases":{_compact(catalogue["releases"])},"choices":[']
    parts.append(
        ",\n".join(_compact(each) for each in catalogue["choices"]) + '],\n"options":' + _lines(catalogue["options"])
    )
    for table in ("keys", "tables"):
        inner = ",\n".join(f"{_compact(name)}:{_lines(each)}" for name, each in catalogue[table].items())
        parts.append(f'"{table}":{{\n{inner}}}')
    return ",\n".join(["\n".join(parts[:2]), *parts[2:]]) + "}\n"


def _lines(table: Mapping[str, Any]) -> str:
    return "{\n" + ",\n".join(f"{_compact(name)}:{_compact(each)}" for name, each in table.items()) + "}"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def changes(before: Mapping[str, Any], after: Mapping[str, Any], versions: list[str]) -> Iterator[str]:
    """What the new reading of each version changed, or for a new version, what it changed against the one before."""
    ordered = timeline.merge(after)["releases"]
    for version in versions:
        position = ordered.index(version)
        old = before.get(version) or (after[ordered[position - 1]] if position else None)
        options, earlier = after[version]["options"], old["options"] if old else {}
        yield f"{version}: {len(options)} options"
        for name in sorted(options.keys() | earlier.keys()):
            if name not in earlier and old:
                yield f"  + {name}"
            elif name not in options:
                yield f"  - {name}"
            elif old and options[name] != earlier[name]:
                yield f"  ~ {name}: {_compact(earlier[name])} -> {_compact(options[name])}"


if __name__ == "__main__":
    sys.exit(main())
