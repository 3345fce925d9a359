"""``qwen-mtp catalogue``: what one release of an engine accepts, and what changes from one to another."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_qwen_mtp.engines.catalogue import Release
    from pytest_qwen_mtp.engines.compare import Change

ENGINES = ("vllm", "sglang")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds ``catalogue show`` and ``catalogue diff``."""
    top = subparsers.add_parser("catalogue", help="what does a release of an engine accept?")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    show = commands.add_parser("show", help="the options of a release")
    show.add_argument("engine", choices=ENGINES)
    show.add_argument("release", metavar="RELEASE")
    diff = commands.add_parser("diff", help="what changes from one release to another")
    diff.add_argument("engine", choices=ENGINES)
    diff.add_argument("old", metavar="FROM")
    diff.add_argument("new", metavar="TO")
    for each in (show, diff):
        each.add_argument("--json", action="store_true")
        each.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Prints what was asked for; 2 where a release is not known."""
    from pytest_qwen_mtp.engines.catalogue import load

    catalogue = load(options.engine)
    wanted = [options.release] if hasattr(options, "release") else [options.old, options.new]
    releases = [catalogue.release(version) for version in wanted]
    for version, release in zip(wanted, releases, strict=True):
        if not release.exact:
            first, last = catalogue.versions[0], catalogue.versions[-1]
            message = f"{release.title} {version} is not in the catalogue, which holds {first} to {last}"
            print(f"qwen-mtp: {message}; next to it: {release.version}", file=sys.stderr)
            return 2
    if len(releases) == 1:
        _show(releases[0], options.json)
    else:
        _diff(releases[0], releases[1], options.json)
    return 0


def _show(release: Release, as_json: bool) -> None:
    rows = [entry(option) for option in release.options]
    if as_json:
        whole = {"engine": release.engine, "version": release.version, "exact": release.exact, "options": rows}
        print(json.dumps(whole, ensure_ascii=False, indent=1))
        return
    print(f"{release}: {len(rows)} options")
    for row in sorted(rows, key=lambda each: str(each["name"])):
        names = " ".join((row["name"], *row["aliases"]))
        print("  " + "  ".join((names, *described(row))))
    print(f"speculative methods: {_listed(release.methods)}")
    print(f"model types with MTP: {_listed(release.mtp_models)}")
    print(f"environment variables: {len(release.environment)}")


def entry(option: Any) -> dict[str, Any]:
    """One option as plain values: the main spelling, all others, type, choices, default, and what else there is."""
    from pytest_qwen_mtp.engines.options import Computed

    computed = isinstance(option.default, Computed)
    row: dict[str, Any] = {
        "name": option.strings[0],
        "aliases": [*option.strings[1:], *option.negatives],
        "type": option.type if option.takes_value else "bool" if option.action != "help" else None,
        "choices": None if option.choices is None else list(option.choices),
        "default": None if computed else option.default,
        "nargs": option.nargs if option.takes_value else 0,
        "setting": option.name,
    }
    if computed:
        row["computed"] = option.default.expression
    if option.deprecated:
        row["deprecated"] = True
    if option.new is not None:
        row["new"] = option.new
    if option.bounds:
        row["bounds"] = dict(option.bounds)
    return row


def described(row: Mapping[str, Any]) -> Iterator[str]:
    """The parts of an option's line behind its names."""
    if row["nargs"] != 0:
        yield f"{row['type']}" + ("" if row["nargs"] is None else f" × {row['nargs']}")
    if row["choices"] is not None:
        yield f"one of {', '.join(str(each) for each in row['choices'])}"
    if "computed" in row:
        yield "default worked out at the start"
    elif row["default"] is not None:
        yield f"default {json.dumps(row['default'], ensure_ascii=False)}"
    if row.get("deprecated"):
        yield f"deprecated, now {row['new']}" if "new" in row else "deprecated"


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(name if name == meant else f"{name} → {meant}" for name, meant in names.items())


def _diff(old: Release, new: Release, as_json: bool) -> None:
    from pytest_qwen_mtp.engines.compare import changes

    found = changes(old, new)
    if as_json:
        whole = {
            "engine": new.engine,
            "from": old.version,
            "to": new.version,
            "changes": [{"what": each.what, "kind": each.kind, "name": each.name, **each.detail} for each in found],
        }
        print(json.dumps(whole, ensure_ascii=False, indent=1))
        return
    print(f"{old} → {new.version}: {len(found)} changes" if found else f"{old} → {new.version}: no change")
    what = None
    for each in found:
        if each.what != what:
            what = each.what
            print(f"\n{what}s")
        print(f"  {_sign(each)} {each.text}")


def _sign(change: Change) -> str:
    return {"added": "+", "removed": "-", "renamed": ">"}.get(change.kind, "~")
