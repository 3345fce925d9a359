"""What an entry says, as one page of text: ``qwen-mtp explain`` and the documentation print the same."""

from __future__ import annotations

from pytest_qwen_mtp.registry.conditions import AllOf, AnyOf, Condition, Not, Test, Unseen, Written
from pytest_qwen_mtp.registry.entry import Entry
from pytest_qwen_mtp.registry.ranges import ENGINE_NAMES

_URLS = "https://github.com/{0}/issues/{1}"


def explain(entry: Entry) -> str:
    """What it is · whom it hits · how to see it · what to change · references, in Markdown."""
    return (
        "\n\n".join(
            (
                f"# {entry.id}: {entry.title}",
                _facts(entry),
                f"## What it is\n\n{entry.symptom}\n\n{entry.impact}" + (f"\n\n{entry.note}" if entry.note else ""),
                f"## Whom it hits\n\n{_whom(entry)}",
                f"## How to see it\n\n{entry.live}",
                "## What to change\n\n" + "\n".join(_changes(entry)),
                "## References\n\n" + "\n".join(f"- {each}" for each in (*map(link, entry.references), *entry.sources)),
            )
        )
        + "\n"
    )


def link(reference: str) -> str:
    """The address of ``owner/name#number``; anything else as it is. GitHub sends a pull request's number on."""
    repository, mark, number = reference.partition("#")
    return _URLS.format(repository, number) if mark and number.isdigit() and repository.count("/") == 1 else reference


def _facts(entry: Entry) -> str:
    aliases = f" · also known as {', '.join(entry.aliases)}" if entry.aliases else ""
    quiet = " · silent: nothing in the log or the health check says so" if entry.silent else ""
    return f"{entry.severity} · {entry.evidence} · last checked {entry.last_checked}{quiet}{aliases}"


def _whom(entry: Entry) -> str:
    name = ENGINE_NAMES.get(entry.engine, entry.engine)
    ranges = "; ".join(str(each) for each in entry.affected)
    seen = [f"seen up to {each.seen_to}" for each in entry.affected if each.seen_to]
    seen += [f"first seen in {each.seen_from}" for each in entry.affected if each.seen_from]
    return f"{name}: {ranges}" + (f" ({', '.join(seen)})" if seen else "") + f", when\n\n{describe(entry.when)}"


def describe(condition: Condition, indent: str = "") -> str:
    """The conditions as a nested list."""
    match condition:
        case AllOf(parts):
            return "\n".join(describe(part, indent) for part in parts)
        case AnyOf(parts):
            return f"{indent}- one of:\n" + "\n".join(_together(part, indent + "  ") for part in parts)
        case Not(part):
            return f"{indent}- not:\n{_together(part, indent + '  ')}"
        case Test(name, wanted):
            return f"{indent}- `{name}` is {wanted}"
        case Written(options):
            return f"{indent}- {' or '.join(f'`{each}`' for each in options)} is given"
        case Unseen(text):
            return f"{indent}- no file shows whether {text}"


def _together(condition: Condition, indent: str) -> str:
    """One bullet, also where several conditions belong together."""
    if isinstance(condition, AllOf):
        return f"{indent}- all of:\n{describe(condition, indent + '  ')}"
    return describe(condition, indent)


def _changes(entry: Entry) -> list[str]:
    lines = []
    for each in entry.workarounds:
        cost = f" Cost: {each.cost}." if each.cost else ""
        again = " Measure again afterwards." if each.remeasure else ""
        lines.append(f"- {each.text}.{cost}{again}")
    return lines
