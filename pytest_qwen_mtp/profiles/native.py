"""Our own small YAML, ``*.mtp.yaml``: one server, or several under ``services``, with expectations for the live checks.

Schema: ``schemas/native-profile.schema.json``. The same rules are checked here without a schema library, so that every
message can name file, key and line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pytest_qwen_mtp.profiles.commandline import split_command
from pytest_qwen_mtp.profiles.excerpt import excerpt
from pytest_qwen_mtp.profiles.identify import identify
from pytest_qwen_mtp.profiles.image import read_image
from pytest_qwen_mtp.profiles.model import Command, Engine, Evidence, Loaded, Problem, ServeProfile, Word
from pytest_qwen_mtp.profiles.native_expect import read_expect
from pytest_qwen_mtp.profiles.scalars import is_null, value_of
from pytest_qwen_mtp.profiles.stated import Ignored, read_ignored
from pytest_qwen_mtp.profiles.yamltext import scalar_text
from pytest_qwen_mtp.profiles.yamltree import Tree, Unreadable, read_yaml

SUFFIXES: Final = (".mtp.yaml", ".mtp.yml")

_FIELDS: Final = ("engine", "version", "model", "args", "env", "image", "service", "gpu", "platform", "expect")
_ENGINES: Final[dict[str, Engine]] = {
    "vllm": "vllm",
    "sglang": "sglang",
    "llamacpp": "llamacpp",
    "llama.cpp": "llamacpp",
}
_PLATFORMS: Final = ("cuda", "rocm", "cpu", "xpu", "ascend", "tpu")
_PROGRAM: Final[dict[Engine, tuple[str, ...]]] = {
    "vllm": ("vllm", "serve"),
    "sglang": ("python3", "-m", "sglang.launch_server"),
    "llamacpp": ("llama-server",),
}
_MODEL_OPTION: Final[dict[Engine, str | None]] = {"vllm": None, "sglang": "--model-path", "llamacpp": "-m"}
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?(?:\.?post\d+)?(?:\.dev\d+)?(?:\+[\w.]+)?)$")
_BUILD = re.compile(r"b?(\d{2,})$")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")


def is_native(path: Path) -> bool:
    """Whether ``path`` is named like one of our own profiles."""
    return path.name.endswith(SUFFIXES)


def load_native(path: Path, engine_versions: Mapping[str | None, str] | None = None) -> Loaded:
    """The servers of one ``*.mtp.yaml``. Never raises; what is wrong is a problem of kind ``invalid-profile``.

    ``engine_versions`` are releases by service name (None: all) that the user states; they beat the file's own.
    """
    try:
        tree = read_yaml(path)
    except Unreadable as unreadable:
        return Loaded(str(path), problems=(unreadable.problem,))
    reader = _Reader(tree)
    profiles = tuple(_restated(profile, engine_versions or {}) for profile in reader.profiles())
    return Loaded(str(path), profiles, (*tree.problems, *reader.problems))


def _restated(profile: ServeProfile, versions: Mapping[str | None, str]) -> ServeProfile:
    if profile.service is not None and profile.service in versions:
        version = versions[profile.service]
        option = f"{profile.service}={version}"
    elif None in versions:
        version = option = versions[None]
    else:
        return profile
    return replace(profile, version=version, version_evidence=Evidence(f"--mtp-engine-version {option}"))


class _Reader:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.problems: list[Problem] = []
        self.ignored: tuple[Ignored, ...] = ()
        self.ignored_here: tuple[Ignored, ...] = ()

    def accepted(self, node: MappingNode) -> tuple[Ignored, ...]:
        """The findings that the user accepts in the ``x-qwen-mtp`` block of ``node``."""
        blocks = [value for key, value in node.value if _text(key) == "x-qwen-mtp" and isinstance(value, MappingNode)]
        lists = [value for block in blocks for key, value in block.value if _text(key) == "ignore"]
        return tuple(each for node in lists for each in read_ignored(self.tree, node))

    def wrong(self, node: Node, message: str, fix: str) -> None:
        self.problems.append(Problem("invalid-profile", self.tree.place(node), message, fix))

    def profiles(self) -> Iterator[ServeProfile]:
        for extra in self.tree.roots[1:]:
            self.wrong(extra, "a second document begins here; expected one", "Put several servers under `services`.")
        root = self.tree.roots[0]
        if not isinstance(root, MappingNode):
            self.wrong(root, f"expected a mapping of fields, found {_kind(root)}", "Write `engine: vllm` and so on.")
            return
        fields = self.fields(root, "", (*_FIELDS, "services"))
        services = fields.pop("services", None)
        self.ignored = self.accepted(root)
        if services is None:
            yield from self.server(root, fields, "")
            return
        for name in fields:
            self.wrong(fields[name], f"{name}: stands beside `services`", "Move it into each service it is meant for.")
        if not isinstance(services, MappingNode) or not services.value:
            self.wrong(
                services, f"services: expected name → fields, found {_kind(services)}", "Name at least one server."
            )
            return
        for key, value in services.value:
            where = f"services.{excerpt(_text(key))}"
            if not isinstance(value, MappingNode):
                self.wrong(value, f"{where}: expected a mapping of fields, found {_kind(value)}", "Write its fields.")
                continue
            self.ignored_here = self.accepted(value)
            inner = self.fields(value, f"{where}.", tuple(field for field in _FIELDS if field != "service"))
            yield from self.server(key, inner, f"{where}.", _text(key))

    def fields(self, node: MappingNode, where: str, allowed: tuple[str, ...]) -> dict[str, Node]:
        """The values by key; an unknown key is told with the one it may be meant to be."""
        found: dict[str, Node] = {}
        for key, value in node.value:
            name = _text(key)
            if name in allowed:
                found[name] = value
            elif not name.startswith("x-"):
                near = get_close_matches(name, allowed, 1)
                fix = f"Write `{near[0]}`." if near else "Remove it; a field of your own begins with `x-`."
                self.wrong(key, f"{where}{excerpt(name)}: unknown field; expected one of {', '.join(allowed)}", fix)
        return found

    def server(
        self, start: Node, fields: Mapping[str, Node], where: str, service: str | None = None
    ) -> Iterator[ServeProfile]:
        """One profile for each name that the server goes by."""
        image = self.word(fields.get("image"), f"{where}image")
        model = self.word(fields.get("model"), f"{where}model")
        env = self.env(fields.get("env"), f"{where}env")
        engine, evidence = self.engine(start, fields.get("engine"), image, env, f"{where}engine")
        if engine is None or evidence is None:
            return
        args = self.args(fields.get("args"), f"{where}args", engine)
        version, version_evidence = self.version(fields.get("version"), f"{where}version", engine, image)
        stated = self.stated(fields, where)
        place = self.tree.place(start)
        at = fields.get("engine") or fields.get("image") or start
        program = [Word(text, self.tree.place(at)) for text in _PROGRAM[engine]]
        option = _MODEL_OPTION[engine]
        if model is not None:
            program += [Word(option, model.place), model] if option else [model]
        words = (*program, *args)
        names = [service] if service is not None else self.names(fields.get("service"), f"{where}service")
        for name in names:
            yield ServeProfile(
                path=self.tree.path,
                service=name,
                place=place,
                engine=engine,
                engine_evidence=evidence,
                version=version,
                version_evidence=version_evidence,
                image=image,
                commands=(Command(words, env, place=place),),
                env=env,
                stated=stated,
            )

    def engine(
        self, start: Node, node: Node | None, image: Word | None, env: Mapping[str, Word | None], where: str
    ) -> tuple[Engine | None, Evidence | None]:
        names = "vllm, sglang or llamacpp"
        if node is not None:
            word = self.word(node, where)
            if word is None:
                return None, None
            engine = _ENGINES.get(word.text)
            if engine is None:
                self.wrong(node, f"{where}: expected {names}, found {excerpt(word.text)!r}", "Name one of the three.")
                return None, None
            return engine, Evidence(f"engine: {word.text}", word.place)
        found = identify((), read_image(image), env) if image is not None else None
        if found is None:
            self.wrong(start, f"{where}: missing, and no image tells it; expected {names}", "Add `engine:`.")
            return None, None
        return found.engine, found.evidence

    def version(self, node: Node | None, where: str, engine: Engine, image: Word | None) -> tuple[str | None, Evidence]:
        word = self.word(node, where)
        if word is not None and node is not None:
            found = (_BUILD if engine == "llamacpp" else _VERSION).match(word.text)
            if found is not None:
                return found[1], Evidence(f"version: {word.text}", word.place)
            expected = "a build number such as 11434" if engine == "llamacpp" else "a release such as 0.31.0"
            self.wrong(node, f"{where}: expected {expected}, found {excerpt(word.text)!r}", "Write the full release.")
            return None, Evidence(f"{excerpt(word.text)} names no release", word.place)
        if image is not None:
            read = read_image(image)
            if read.engine == engine or read.engine is None:
                return read.version, read.version_evidence
        return None, Evidence("the file gives no version and no image that names one")

    def stated(self, fields: Mapping[str, Node], where: str) -> dict[str, Any]:
        stated: dict[str, Any] = {}
        platform = self.word(fields.get("platform"), f"{where}platform")
        if platform is not None:
            if platform.text in _PLATFORMS:
                stated["platform"] = platform.text
            else:
                message = f"{where}platform: expected one of {', '.join(_PLATFORMS)}, found {excerpt(platform.text)!r}"
                self.wrong(fields["platform"], message, "Name one of them.")
        gpu = self.word(fields.get("gpu"), f"{where}gpu")
        if gpu is not None:
            stated["gpu"] = gpu.text
        accepted = (*self.ignored, *self.ignored_here)
        if accepted:
            stated["ignore"] = accepted
        if "expect" in fields:
            stated["expect"] = read_expect(fields["expect"], f"{where}expect", self.wrong)
        return stated

    def names(self, node: Node | None, where: str) -> list[str | None]:
        if node is None:
            return [None]
        if isinstance(node, SequenceNode) and node.value:
            words = [self.word(each, f"{where}[{index}]") for index, each in enumerate(node.value)]
        else:
            words = [self.word(node, where)]
        return [word.text for word in words if word is not None] or [None]

    def word(self, node: Node | None, where: str) -> Word | None:
        """The text of a scalar as it stands (``0.10`` stays ``0.10``); None where there is none to take."""
        if node is None:
            return None
        if not isinstance(node, ScalarNode) or is_null(node):
            self.wrong(
                node, f"{where}: expected text, found {_kind(node)}", "Write one value, in quotes where in doubt."
            )
            return None
        return Word(node.value, scalar_text(self.tree, node).place(0))

    def env(self, node: Node | None, where: str) -> dict[str, Word | None]:
        """``NAME: value``; an empty value hands the variable through from outside."""
        if node is None:
            return {}
        if not isinstance(node, MappingNode):
            self.wrong(node, f"{where}: expected NAME → value, found {_kind(node)}", "Write `NAME: value` lines.")
            return {}
        found: dict[str, Word | None] = {}
        for key, value in node.value:
            name = _text(key)
            if not _VARIABLE.match(name):
                self.wrong(key, f"{where}: {excerpt(name)!r} is no name of a variable", "Use letters, digits and _.")
            elif isinstance(value, ScalarNode) and is_null(value):
                found[name] = None
            else:
                word = self.word(value, f"{where}.{name}")
                if word is not None:
                    found[name] = word
        return found

    def args(self, node: Node | None, where: str, engine: Engine) -> list[Word]:
        if node is None:
            return []
        if isinstance(node, SequenceNode):
            words = [self.word(each, f"{where}[{index}]") for index, each in enumerate(node.value)]
            return [word for word in words if word is not None]
        if isinstance(node, ScalarNode):
            split = split_command(scalar_text(self.tree, node))
            if split.problem is not None:
                self.wrong(node, f"{where}: {split.problem.message}", "Close the quote, or write a list of words.")
            elif split.cut is not None:
                self.wrong(node, f"{where}: a free operator ends the words here", "Put it between quotes.")
            return list(split.words)
        if not isinstance(node, MappingNode):
            self.wrong(
                node,
                f"{where}: expected a list of words, one string, or option → value, found {_kind(node)}",
                "Write one list item for every word, or `option: value` lines.",
            )
            return []
        return [word for key, value in node.value for word in self.option(key, value, where, engine)]

    def option(self, key: Node, value: Node, where: str, engine: Engine) -> list[Word]:
        """The words of one ``option: value``: true is a switch, false its ``--no-`` form where the engine has one."""
        name = _text(key)
        here = f"{where}.{excerpt(name)}"
        if not name or any(char.isspace() or char == "=" for char in name):
            self.wrong(key, f"{here}: an option has no blank and no `=` in its name", "Put the value behind the colon.")
            return []
        place = self.tree.place(key)
        option = Word(name if name.startswith("-") else f"--{name}", place)
        if isinstance(value, SequenceNode):
            words = [self.word(each, f"{here}[{index}]") for index, each in enumerate(value.value)]
            return [option, *(word for word in words if word is not None)]
        if isinstance(value, MappingNode):
            return [option, Word(json.dumps(_plain(value)), self.tree.place(value))]
        if isinstance(value, ScalarNode):
            plain = value_of(value)
            if plain is True:
                return [option]
            if plain is False:
                bare = option.text.lstrip("-")
                if engine == "sglang" or bare.startswith("no-") or not option.text.startswith("--"):
                    return []  # a switch that is not given
                return [Word(f"--no-{bare}", place)]
            if plain is None:
                self.wrong(value, f"{here}: no value", "Write `true` for a switch, or remove the option.")
                return []
        word = self.word(value, here)
        return [option] if word is None else [option, word]


def _text(node: Node) -> str:
    return node.value if isinstance(node, ScalarNode) else f"({_kind(node)})"


def _kind(node: Node) -> str:
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node, SequenceNode):
        return "a list" if node.value else "an empty list"
    return "nothing" if isinstance(node, ScalarNode) and is_null(node) else repr(excerpt(_text(node)))


def _plain(node: Node) -> Any:
    """Plain JSON data. Trees are acyclic and bounded (``yamltree.UNFOLD_LIMIT``)."""
    if isinstance(node, MappingNode):
        return {_text(key): _plain(value) for key, value in node.value}
    if isinstance(node, SequenceNode):
        return [_plain(each) for each in node.value]
    value = value_of(node) if isinstance(node, ScalarNode) else None
    return value if isinstance(value, str | int | float | bool | None) else _text(node)
