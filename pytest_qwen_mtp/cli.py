"""The ``qwen-mtp`` command.

Exit codes: 0 everything was done; 1 a file could not be read or starts nothing (what could be read is printed all the
same); 2 wrong usage, or a name that nothing has; 3 (upgrade) something high or critical comes with the new release,
(fix) something definite stays, or is left to change by hand; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_qwen_mtp.catalogue_cli import add_parser as add_catalogue

if TYPE_CHECKING:
    from pytest_qwen_mtp.profiles.model import Loaded, Problem

ENGINES = ("vllm", "sglang", "llamacpp")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets an escape, not an exception.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        options = parser().parse_args(arguments)
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough. Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="qwen-mtp", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    top.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    resolve = commands.add_parser("resolve", help="what command does a deployment file really start?")
    resolve.add_argument("files", nargs="+", metavar="FILE", help="Compose files that belong together: joined with ':'")
    resolve.add_argument("--json", action="store_true", help='the "profiles" of the JSON report')
    resolve.add_argument("--settings", action="store_true", help="also what the release makes of each command")
    resolve.add_argument("--env", action="store_true", help="variables may come from the environment")
    resolve.add_argument("--engine-version", action="append", default=[], metavar="[SERVICE=]VERSION")
    resolve.set_defaults(run=_resolve)

    upgrade = commands.add_parser("upgrade", help="what changes for a deployment file on another release?")
    upgrade.add_argument("file", metavar="FILE", help="Compose files that belong together: joined with ':'")
    upgrade.add_argument("--to", required=True, metavar="RELEASE", help="the release to move to")
    upgrade.add_argument("--from", dest="old", metavar="RELEASE", help="the release it runs, where the file pins none")
    upgrade.add_argument("--service", metavar="NAME", help="only this service")
    upgrade.add_argument("--json", action="store_true")
    upgrade.add_argument("--env", action="store_true", help="variables may come from the environment")
    upgrade.set_defaults(run=_upgrade)

    fix = commands.add_parser("fix", help="what is the least to change so that no definite finding stays?")
    fix.add_argument("file", metavar="FILE", help="Compose files that belong together: joined with ':'")
    fix.add_argument("--service", metavar="NAME", help="only this service")
    fix.add_argument("--engine-version", action="append", default=[], metavar="[SERVICE=]VERSION")
    fix.add_argument("--write", action="store_true", help="also write the files; without it nothing is written")
    fix.add_argument("--json", action="store_true")
    fix.add_argument("--env", action="store_true", help="variables may come from the environment")
    fix.set_defaults(run=_fix)

    explain = commands.add_parser("explain", help="what is this, whom does it hit, what do I do?")
    explain.add_argument("rule", help="id or alias of a rule or known bug")
    explain.set_defaults(run=_explain)

    rules = commands.add_parser("rules", help="all rules and known bugs")
    rules.add_argument("--engine", choices=ENGINES, help="only what can be said about this engine")
    rules.add_argument("--version", metavar="RELEASE", help="only known bugs that hold or may hold for it")
    rules.add_argument("--json", action="store_true")
    rules.set_defaults(run=_rules)
    add_catalogue(commands)
    return top


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from pytest_qwen_mtp import __version__

        print(f"qwen-mtp {__version__}")
        parser.exit()


def _resolve(options: argparse.Namespace) -> int:
    from pytest_qwen_mtp.check import read
    from pytest_qwen_mtp.options import read_paths, read_versions
    from pytest_qwen_mtp.profiles.load import LoadOptions, load
    from pytest_qwen_mtp.reports.entries import profile_entry
    from pytest_qwen_mtp.reports.resolved import resolved_lines
    from pytest_qwen_mtp.reports.settings import settings_entry

    root = Path.cwd()
    try:
        files = [read_paths(each, root, option="FILE") for each in options.files]
        versions = read_versions(options.engine_version, option="--engine-version")
    except ValueError as error:
        return _usage(str(error))
    load_options = LoadOptions(environment=dict(os.environ) if options.env else None, engine_versions=versions)
    entries = []
    code, separate = 0, False
    for paths in files:
        loaded = load(paths, load_options)
        for profile in loaded.profiles:
            readings = read(profile)
            if options.json:
                entries.append(profile_entry(profile, readings, root))
                if options.settings:
                    for command, reading in zip(entries[-1]["commands"], readings, strict=True):
                        command["settings"] = settings_entry(reading.settings, root)
                continue
            lines = resolved_lines(profile, readings, root, settings=options.settings)
            print(*([""] if separate else []), *lines, sep="\n")
            separate = True
        code |= _tell(loaded, root)
    if options.json:
        import json

        print(json.dumps({"profiles": entries}, ensure_ascii=False, indent=1))
    return code


def _upgrade(options: argparse.Namespace) -> int:
    from pytest_qwen_mtp.engines.catalogue import load as load_catalogue
    from pytest_qwen_mtp.options import read_paths
    from pytest_qwen_mtp.profiles.load import LoadOptions, load
    from pytest_qwen_mtp.registry.load import load_registry
    from pytest_qwen_mtp.reports.upgrade import upgrade_entry, upgrade_lines
    from pytest_qwen_mtp.rules import RULES
    from pytest_qwen_mtp.upgrade import compare

    root = Path.cwd()
    try:
        paths = read_paths(options.file, root, option="FILE")
        new = _release(options.to, "--to")
        stated = None if options.old is None else _release(options.old, "--from")
    except ValueError as error:
        return _usage(str(error))
    loaded = load(paths, LoadOptions(environment=dict(os.environ) if options.env else None))
    profiles = [each for each in loaded.profiles if options.service in (None, each.service)]
    if options.service is not None and not profiles:
        names = ", ".join(each.service for each in loaded.profiles if each.service) or "none"
        return _usage(f"--service: no inference server is named {options.service!r}; found {names}")
    code = _tell(loaded, root)
    upgrades = []
    for profile in profiles:
        old = stated or profile.version
        known = load_catalogue(profile.engine).versions
        if known and not load_catalogue(profile.engine).release(new).exact:
            where = f"{profile.service or profile.path}"
            message = f"--to: {new} is no release of {profile.engine} that is known here ({known[0]} to {known[-1]})"
            if len(profiles) == 1:
                return _usage(message)
            print(f"qwen-mtp: {where}: {message}; not compared", file=sys.stderr)
            code |= 1
        elif old is None:
            where = f"{profile.service or profile.path}"
            evidence = profile.version_evidence.text
            print(f"qwen-mtp: {where}: {evidence}; say --from RELEASE", file=sys.stderr)
            code |= 1
        else:
            upgrades.append(compare(profile, old, new, load_registry(), RULES))
    if options.json:
        import json

        print(json.dumps({"upgrades": [upgrade_entry(each, root) for each in upgrades]}, ensure_ascii=False, indent=1))
    else:
        for index, each in enumerate(upgrades):
            print(*([""] if index else []), *upgrade_lines(each, root), sep="\n")
    return 3 if any(each.stops for each in upgrades) else code


def _fix(options: argparse.Namespace) -> int:
    from pytest_qwen_mtp.fixing import run
    from pytest_qwen_mtp.options import read_paths, read_versions
    from pytest_qwen_mtp.profiles.load import LoadOptions

    root = Path.cwd()
    try:
        paths = read_paths(options.file, root, option="FILE")
        versions = read_versions(options.engine_version, option="--engine-version")
        environment = dict(os.environ) if options.env else None
        result, code = run(paths, LoadOptions(environment=environment, engine_versions=versions), options, root)
    except ValueError as error:
        return _usage(str(error))
    except OSError as error:
        return _usage(f"--write: {error}")
    return _tell(result.loaded, root) or code


def _release(text: str, option: str) -> str:
    """The release that ``text`` names. Raises ``ValueError``."""
    from packaging.version import InvalidVersion, Version

    plain = text[1:] if text[:1] in "vb" else text
    try:
        Version(plain)
    except InvalidVersion:
        raise ValueError(f"{option} {text!r}: expected a release such as 0.32.0") from None
    return plain


def _tell(loaded: Loaded, root: Path) -> int:
    """What went wrong and what was not seen goes to standard error; returns 1 where the file was no use."""
    from pytest_qwen_mtp.reports.entries import shown_path
    from pytest_qwen_mtp.reports.failure import clean

    sys.stdout.flush()
    for problem in loaded.problems:
        print(clean(f"{_where(problem, root)}: {problem.kind}: {problem.message}"), file=sys.stderr)
        if problem.fix:
            print(clean(f"  {problem.fix}"), file=sys.stderr)
    for unseen in loaded.not_seen:
        print(clean(f"{_where(unseen, root)}: not seen: {unseen.what}"), file=sys.stderr)
    if not loaded.profiles and not loaded.problems:
        path = shown_path(loaded.path, root)
        print(f"{clean(path)}: starts no inference server that is known here", file=sys.stderr)
    return int(bool(loaded.problems) or not loaded.profiles)


def _where(thing: Problem | Any, root: Path) -> str:
    from pytest_qwen_mtp.findings import Place
    from pytest_qwen_mtp.reports.entries import shown_path

    place = thing.place
    return str(Place(shown_path(place.path, root), place.line, place.column))


def _explain(options: argparse.Namespace) -> int:
    from pytest_qwen_mtp.registry.load import load_registry
    from pytest_qwen_mtp.rules.explain import explain, nearest

    registry = load_registry()
    text = explain(options.rule, registry)
    if text is not None:
        print(text, end="")
        return 0
    near = nearest(options.rule, registry)
    hint = f"did you mean {', '.join(near)}?" if near else "`qwen-mtp rules` lists them all"
    return _usage(f"no rule or known bug is named {options.rule!r}; {hint}")


def _rules(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from pytest_qwen_mtp.registry.load import load_registry
    from pytest_qwen_mtp.rules.explain import list_all

    release = None
    if options.version is not None:
        if options.engine is None:
            return _usage("--version needs --engine: releases of two engines are not the same ones")
        try:
            release = _release(options.version, "--version")
        except ValueError as error:
            return _usage(str(error))
    lines = list_all(load_registry(), engine=options.engine, version=release)
    if options.json:
        import json

        print(json.dumps({"rules": [asdict(line) for line in lines]}, ensure_ascii=False, indent=1))
        return 0
    width = max(len(line.id) for line in lines)
    for line in lines:
        aliases = f" (also {', '.join(line.aliases)})" if line.aliases else ""
        holds = "" if release is None else f"{line.holds or '-':<8}  "
        print(f"{line.id:<{width}}  {line.severity or '-':<8}  {line.engine or '-':<8}  {holds}{line.title}{aliases}")
    return 0


def _usage(message: str) -> int:
    print(f"qwen-mtp: {message}", file=sys.stderr)
    return 2
