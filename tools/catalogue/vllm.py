"""vLLM's facts: options of ``vllm serve``, keys of its JSON options, methods, MTP model types, variables.

Options are those that ``vllm serve`` adds to its parser (``entrypoints/cli/serve.py``); types and choices come from the
hints of its config classes, by the rules of the release's own ``engine/arg_utils.py`` (``get_kwargs``).
"""

from __future__ import annotations

import ast
import re
from typing import Any

from catalogue.interpreter import Interpreter
from catalogue.options import Spec, default_into, flat, key_types, literal, option
from catalogue.source import Sources
from catalogue.values import Class, External, Hint, Parser, Unknown, UnknownShape, Wrapped

# Built for some models and settings only, so what they ask of a number does not always count.
_SOMETIMES = {"LoRAConfig", "MultiModalConfig"}
# Any text that is a variable's name and nothing else: there are many helpers that read one, and a variable that is
# read must never be called ignored.
_VARIABLE = re.compile(r"""["'](VLLM_[A-Z0-9_]*[A-Z0-9])["']""")


class Kwargs:
    """The release's ``get_kwargs``, on hints instead of on types."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        module = interpreter.sources.module("vllm.engine.arg_utils")
        text = module.path.read_text(encoding="utf-8") if module else ""
        block = re.search(r"human_readable_int_args\s*=\s*\{(.*?)\}", text, re.S)
        # Before the set there was one comparison for each of these names.
        self.human = set(re.findall(r'"(\w+)"', block[1])) if block else set(re.findall(r'name == "(\w+)"', text))
        self.or_auto = "human_readable_int_or_auto" in text
        self.flag_with_value = "{bool, str, type(None)}" in text
        self.none_choice: Any = "None" if 'choices"].append("None")' in text else None
        self.snake_dicts = "is_dict_subclass" in text

    def __call__(self, cls: Class) -> dict[str, dict[str, Any]]:
        return {
            name: self._field(cls, name, hint, owner) for name, (hint, _, owner) in self.interpreter.fields(cls).items()
        }

    def _field(self, cls: Class, name: str, hint: ast.expr, owner: Class) -> dict[str, Any]:
        kwargs: dict[str, Any] = {"default": self.interpreter.default(cls, name)}
        bounds = {} if cls.name in _SOMETIMES else self.interpreter.bounds(cls, name)
        if bounds:
            kwargs["bounds"] = bounds
        if kwargs["default"] is ...:
            kwargs["default"] = None
        types = flat(self.interpreter.hint(hint, owner.module))
        names = {each.name for each in types if isinstance(each, External)}
        optional = any(each is None for each in types)
        config = next((each for each in types if self._is_config(each)), None)
        literals = next((each for each in types if isinstance(each, Hint) and each.kind == "Literal"), None)
        sequence = next(
            (each for each in types if isinstance(each, Hint) and each.kind in ("tuple", "list", "set")), None
        )
        mapping = "dict" in names or any(isinstance(each, Hint) and each.kind in ("dict", "mapping") for each in types)
        mapping = mapping or any(self._is_mapping(each) for each in types)
        types = [each for each in types if not self._is_mapping(each)]
        foreign = any(
            isinstance(each, Class | Unknown) or (isinstance(each, External) and "." in each.name) for each in types
        )
        foreign = foreign or any(isinstance(each, Hint) and each.kind in ("type", "callable") for each in types)
        if config is not None:
            kwargs["type"] = config
        elif self.flag_with_value and names == {"bool", "str"} and optional:
            kwargs.update(type=External("str"), nargs="?", const=True)
        elif "bool" in names:
            kwargs["action"] = External("argparse.BooleanOptionalAction")
            return kwargs
        elif literals is not None:
            self._literal(kwargs, literals, "str" in names)
        elif sequence is not None:
            self._sequence(kwargs, sequence)
        elif "int" in names:
            kwargs["type"] = External(self._integer(name))
        elif "float" in names:
            kwargs["type"] = External("float")
        elif mapping:
            wide = "str" in names or foreign
            kwargs["type"] = External("union_dict_and_str") if wide else Wrapped("parse_type", External("json.loads"))
        else:
            kwargs["type"] = External("str")
        if optional and not (self.flag_with_value and names == {"bool", "str"}):
            kwargs["type"] = Wrapped("optional_type", kwargs["type"])
            if kwargs.get("choices"):
                kwargs["choices"].append(self.none_choice)
        return kwargs

    def _is_config(self, hint: Any) -> bool:
        if not isinstance(hint, Class) or self.interpreter.is_enum(hint):
            return False
        decorators = [ast.unparse(each) for each in hint.node.decorator_list]
        return any("config" in each or "dataclass" in each for each in decorators)

    def _is_mapping(self, hint: Any) -> bool:
        return (
            self.snake_dicts
            and isinstance(hint, Class)
            and any("dict" in ast.unparse(b).lower() for b in hint.node.bases)
        )

    def _integer(self, name: str) -> str:
        if name == "max_model_len" and self.or_auto:
            return "human_readable_int_or_auto"
        return "human_readable_int" if name in self.human else "int"

    def _literal(self, kwargs: dict[str, Any], hint: Hint, open_ended: bool) -> None:
        values = literal(hint)
        kwargs["type"] = External(type(values[0]).__name__)
        if not open_ended:
            kwargs["choices"] = sorted(values)

    def _sequence(self, kwargs: dict[str, Any], hint: Hint) -> None:
        inner = [each for each in hint.arguments if each is not ...]
        element = flat(inner[0]) if inner else [External("str")]
        kwargs["type"] = element[0] if len(element) == 1 else External("str")
        fixed = hint.kind == "tuple" and ... not in hint.arguments
        kwargs["nargs"] = len(hint.arguments) if fixed else "+"
        if isinstance(kwargs["type"], Hint) and kwargs["type"].kind == "Literal":
            self._literal(kwargs, kwargs["type"], False)


def facts(sources: Sources) -> dict[str, Any]:
    """All facts of one release, whose package lies below ``sources.root``."""
    interpreter = Interpreter(sources)
    kwargs = Kwargs(interpreter)
    interpreter.natives["get_kwargs"] = kwargs
    for name in ("optional_type", "parse_type"):
        interpreter.natives[name] = lambda inner, by=name: Wrapped(by, inner)
    interpreter.natives["get_from_deprecated_env_if_set"] = lambda *_, **__: None
    interpreter.natives["get_field"] = lambda cls, name: interpreter.default(cls, name)
    parser = _parser(interpreter)
    keys: dict[str, dict[str, Spec]] = {}
    return {
        "options": _options(parser, interpreter, keys),
        "keys": keys,
        "tables": {
            "methods": _methods(interpreter),
            "mtp_models": _mtp_models(sources),
            "environment": _environment(sources),
        },
    }


def _parser(interpreter: Interpreter) -> Parser:
    """What ``vllm serve`` adds to its parser, whatever module the release keeps its options in."""
    module = interpreter.sources.module("vllm.entrypoints.cli.serve")
    command = interpreter.name(module, "ServeSubcommand") if module else None
    if not isinstance(command, Class):
        raise UnknownShape("vllm/entrypoints/cli/serve.py has no class ServeSubcommand")
    parser = Parser()
    begin = interpreter.attribute(command, "subparser_init", "subparser_init")
    if not isinstance(interpreter.run(begin, [parser], {}, "subparser_init"), Parser):
        raise UnknownShape("ServeSubcommand.subparser_init gives no parser back: a call in it could not be followed")
    return parser


def _options(parser: Parser, interpreter: Interpreter, keys: dict[str, dict[str, Spec]]) -> dict[str, Spec]:
    found: dict[str, Spec] = {"--help": {"also": ["-h"], "action": "help"}}
    config = interpreter.sources.module("vllm.config.vllm") or interpreter.sources.module("vllm.config")
    whole = interpreter.name(config, "VllmConfig") if config else None
    hints = interpreter.fields(whole) if isinstance(whole, Class) else {}
    actions = interpreter.sources.module("vllm.utils.argparse_utils")
    pairs = actions is not None and "EnableDisableAction" in actions.names
    for positional, named in parser.calls:
        if named.get("choices") == [] and "--reasoning-parser" in positional:
            named = {**named, "choices": _registered(interpreter.sources, "vllm.reasoning")}
        made = option(positional, named)
        if made is None:
            continue
        main, spec = made
        if pairs and spec.get("action") == "boolean":
            spec["no"] = _opposites([main, *spec.get("also", ())])
            if not spec["no"]:
                del spec["no"]
        cls = _config_class(named.get("type"))
        attribute = main.lstrip("-").replace("-", "_")
        if cls is None and attribute in hints:
            hint, _, owner = hints[attribute]
            cls = next((e for e in flat(interpreter.hint(hint, owner.module)) if isinstance(e, Class)), None)
        if cls is not None and attribute.endswith("_config"):
            spec["keys"] = cls.name
            _add_keys(cls, interpreter, keys)
        if spec.get("type", "").startswith("optional_json") or "deprecated" in named:
            spec["deprecated"] = bool(named.get("deprecated")) or spec.get("deprecated", False)
            if not spec["deprecated"]:
                del spec["deprecated"]
        found[main] = spec
    return found


def _registered(sources: Sources, package: str) -> list[str]:
    """The names that classes of ``package`` are registered under while it is imported, in that order (0.10.2)."""
    found: list[str] = []
    whole = sources.module(package)
    for statement in whole.tree.body if whole else ():
        imported = statement.module if isinstance(statement, ast.ImportFrom) else None
        module = sources.module(f"{package}.{imported}") if imported else None
        for node in module.tree.body if module else ():
            for each in node.decorator_list if isinstance(node, ast.ClassDef) else ():
                if isinstance(each, ast.Call) and ast.unparse(each.func).endswith(".register_module"):
                    found += [str(name.value) for name in each.args if isinstance(name, ast.Constant)]
    return found


def _opposites(strings: list[str]) -> list[str]:
    """``--disable-x`` for ``--enable-x`` and the reverse: 0.33.0, utils/argparse_utils.py, EnableDisableAction."""
    pairs = (("--enable-", "--disable-"), ("--disable-", "--enable-"))
    return [new + each.removeprefix(old) for each in strings for old, new in pairs if each.startswith(old)]


def _config_class(value: Any) -> Class | None:
    if isinstance(value, Wrapped):
        return _config_class(value.inner)
    return value if isinstance(value, Class) else None


def _add_keys(cls: Class, interpreter: Interpreter, keys: dict[str, dict[str, Spec]]) -> None:
    """The keys of ``cls`` and of the config classes inside it, under the names of the classes."""
    if cls.name in keys:
        return
    found: dict[str, Spec] = keys.setdefault(cls.name, {})
    wrapped = interpreter.wrapped(cls)
    for name, (hint, default, owner) in interpreter.fields(cls).items():
        if default is not None and re.search(r"\binit=False\b", ast.unparse(default)):
            continue
        types, choices, inner = key_types(interpreter.hint(hint, owner.module), interpreter)
        if "SkipValidation" in ast.unparse(hint):
            # Put in by the engine itself, whatever was given.
            types, choices, inner = [], None, None
        spec: Spec = {}
        if types and (name in wrapped or "*" in wrapped):
            types = sorted({*types, "null"})
        if types:
            spec["types"] = types
        if choices:
            spec["choices"] = choices
        bounds = interpreter.bounds(cls, name)
        if bounds:
            spec["bounds"] = bounds
        value = interpreter.default(cls, name)
        if value is ...:
            spec["required"] = True
        else:
            default_into(spec, value)
        if inner is not None:
            spec["keys"] = inner.name
            _add_keys(inner, interpreter, keys)
        found[name] = spec


def _methods(interpreter: Interpreter) -> dict[str, str]:
    """Names accepted as ``method``; the model-specific names of MTP stand for ``mtp``."""
    module = interpreter.sources.module("vllm.config.speculative") or interpreter.sources.module("vllm.config")
    if module is None:
        return {}
    methods = interpreter.name(module, "SpeculativeMethod")
    of_models = interpreter.name(module, "MTPModelTypes")
    aliases = set(literal(of_models)) if isinstance(of_models, Hint) else set()
    text = module.path.read_text(encoding="utf-8")
    folded = "deprecated and replaced with mtp" in text
    names = literal(methods) if isinstance(methods, Hint) else []
    return {name: "mtp" if folded and name in aliases else name for name in names}


def _mtp_models(sources: Sources) -> dict[str, str]:
    """Model types that ``SpeculativeConfig.hf_config_override`` turns into a draft model type."""
    module = sources.module("vllm.config.speculative") or sources.module("vllm.config")
    found: dict[str, str] = {}
    if module is None:
        return found
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef) and node.name == "hf_config_override":
            for branch in (each for each in ast.walk(node) if isinstance(each, ast.If)):
                targets = [
                    each.value.value
                    for each in branch.body
                    if isinstance(each, ast.Assign)
                    and ast.unparse(each.targets[0]) == "hf_config.model_type"
                    and isinstance(each.value, ast.Constant)
                ]
                if targets:
                    for name in _tested(branch.test):
                        found[name] = str(targets[0])
    return found


def _tested(test: ast.expr) -> list[str]:
    """The names that a test compares ``model_type`` or the architecture with."""
    if not isinstance(test, ast.Compare) or not re.search(r"model_type|architectures", ast.unparse(test.left)):
        return []
    return [
        each.value
        for each in ast.walk(test.comparators[0])
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]


def _environment(sources: Sources) -> dict[str, bool]:
    """Variables of ``envs.py``, and those that other modules name."""
    found: set[str] = set()
    module = sources.module("vllm.envs")
    for node in ast.walk(module.tree) if module else ():
        if isinstance(node, ast.Dict):
            names = {str(key.value) for key in node.keys if isinstance(key, ast.Constant)}
            found |= {name for name in names if name.isupper()}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id.isupper():
            found.add(node.target.id)
    for text in sources.texts():
        if "VLLM_" in text:
            found |= set(_VARIABLE.findall(text))
    return dict.fromkeys(sorted(found), True)
