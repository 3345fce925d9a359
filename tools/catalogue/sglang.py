"""SGLang's facts: options of the server, speculative algorithms, MTP model types, variables.

Options stand in ``ServerArgs.add_cli_args``: as calls up to 0.5.13, and from 0.5.14 derived from the annotated fields
of the class by ``add_cli_args_from_dataclass``, whose rules (``arg_groups/arg_utils.py``) are followed here.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from catalogue.interpreter import Interpreter
from catalogue.options import Spec, flat, literal, option, plain
from catalogue.source import Sources
from catalogue.values import Call, Class, External, Hint, Parser, Unknown

# Any text that is a variable's name and nothing else: there are many helpers that read one, and a variable that is
# read must never be called ignored.
_VARIABLE = re.compile(r"""["']((?:SGLANG|SGL)_[A-Z0-9_]*[A-Z0-9])["']""")
_ARCHITECTURE = re.compile(r"\b([A-Z]\w*For(?:CausalLM|ConditionalGeneration))\b")


def facts(sources: Sources) -> dict[str, Any]:
    """All facts of one release, whose package lies below ``sources.root``."""
    interpreter = Interpreter(sources)
    module = sources.module("sglang.srt.server_args")
    assert module is not None
    # From 0.5.20 the class is rebuilt below its definition, from the classes under ``arg_groups/fields``.
    node = next(each for each in module.names["ServerArgs"] if isinstance(each, ast.ClassDef))
    server_args = Class(module, node)
    fields = _input_classes(interpreter, server_args)
    interpreter.natives["add_cli_args_from_dataclass"] = lambda parser, cls, **_: _derived(parser, interpreter, fields)
    interpreter.natives["_declared_default"] = lambda name: _default(interpreter, fields, name)
    parser = Parser()
    add = interpreter.attribute(server_args, "add_cli_args", "add_cli_args")
    interpreter.run(add, [parser], {}, "add_cli_args")
    options: dict[str, Spec] = {"--help": {"also": ["-h"], "action": "help"}}
    for positional, named in parser.calls:
        made = option(positional, named)
        if made is not None:
            options[made[0]] = made[1]
    return {
        "options": options,
        "keys": {},
        "tables": {
            "methods": _methods(interpreter, options),
            "mtp_models": _mtp_models(sources),
            "environment": _environment(interpreter, sources),
        },
    }


def _input_classes(interpreter: Interpreter, server_args: Class) -> list[Class]:
    """The classes that declare the fields: ServerArgs itself, from 0.5.20 those below ``arg_groups/fields``."""
    folder = interpreter.sources.root / "sglang" / "srt" / "arg_groups" / "fields"
    found = [server_args]
    for path in sorted(folder.glob("*.py")):
        module = interpreter.sources.module(f"sglang.srt.arg_groups.fields.{path.stem}")
        for name, statements in module.names.items() if module else ():
            if isinstance(statements[-1], ast.ClassDef):
                found.append(interpreter.name(module, name))  # type: ignore[arg-type]
    return [each for each in found if isinstance(each, Class)]


def _default(interpreter: Interpreter, classes: list[Class], name: str) -> Any:
    for cls in classes:
        if name in interpreter.fields(cls):
            value = interpreter.default(cls, name)
            return None if value is ... else value
    return Unknown(name)


def _derived(parser: Parser, interpreter: Interpreter, classes: list[Class]) -> None:
    """What ``add_cli_args_from_dataclass`` adds for every field that carries help or ``Arg(…)``."""
    for cls in classes:
        for name, (hint, _, owner) in interpreter.fields(cls).items():
            annotated = interpreter.hint(hint, owner.module)
            if isinstance(annotated, Hint) and annotated.kind == "Annotated":
                _field(parser, interpreter, cls, name, annotated)


def _field(parser: Parser, interpreter: Interpreter, cls: Class, name: str, annotated: Hint) -> None:
    about = next((each for each in annotated.arguments[1:] if _describes(each)), None)
    if about is None:
        return
    arg: dict[str, Any] = about.named if isinstance(about, Call) else {}
    if arg.get("no_cli") is True:
        return
    string = arg.get("cli_name") or "--" + name.replace("_", "-")
    kwargs: dict[str, Any] = {"dest": name}
    default = interpreter.default(cls, name)
    if default is not ...:
        kwargs["default"] = default
    strings = [string, *(arg.get("aliases") or [])]
    if arg.get("action") is not None:
        kwargs["action"] = arg["action"]
        kwargs.update(arg.get("action_kwargs") or {})
        parser.calls.append((tuple(strings), kwargs))
        return
    kinds = [each for each in flat(annotated.arguments[0]) if each is not None]
    inner = kinds[0] if len(kinds) == 1 else None
    if isinstance(inner, Hint) and inner.kind == "Literal":
        values = literal(inner)
        kwargs["type"] = arg.get("type_parser") or _scalar(External(type(values[0]).__name__))
        listed = arg.get("choices")
        kwargs["choices"] = values if listed is None or isinstance(plain(listed), Unknown) else listed
    elif isinstance(inner, Hint) and inner.kind == "list" and arg.get("type_parser") is None:
        kwargs["type"] = _scalar(inner.arguments[0] if inner.arguments else None)
        kwargs["nargs"] = arg.get("nargs") or "+"
        kwargs["choices"] = arg.get("choices") or None
    elif isinstance(inner, External) and inner.name == "bool":
        kwargs["action"] = "store_true"
    else:
        kwargs["type"] = arg.get("type_parser") or _scalar(inner)
        kwargs["choices"] = arg.get("choices") or None
        kwargs["nargs"] = arg.get("nargs") or None
        kwargs["required"] = arg.get("required") is True or (arg.get("required") is None and default is ...)
    if arg.get("const") is not None:
        kwargs["const"] = arg["const"]
    kwargs = {key: value for key, value in kwargs.items() if value is not None or key == "default"}
    parser.calls.append((tuple(strings), kwargs))


def _describes(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, Call) and value.name == "Arg")


def _scalar(kind: Any) -> External:
    name = kind.name if isinstance(kind, External) else "str"
    return External(name if name in ("int", "float", "str") else "str")


def _methods(interpreter: Interpreter, options: dict[str, Spec]) -> dict[str, str]:
    """Names accepted by ``--speculative-algorithm``; an alias stands for the algorithm it means.

    The option lists them up to 0.5.10; later the members of the enum are accepted. From 0.5.4.post2 to 0.5.7 the class
    is no enum but filled by calls.
    """
    names = set(options.get("--speculative-algorithm", {}).get("choices") or ())
    module = interpreter.sources.module("sglang.srt.speculative.spec_info")
    cls = interpreter.name(module, "SpeculativeAlgorithm") if module else None
    if isinstance(cls, Class) and interpreter.is_enum(cls):
        names |= {each.name for each in interpreter.members(cls) if each.name.isupper()}
    names |= {"NEXTN"}
    return {name: "EAGLE" if name == "NEXTN" else name for name in sorted(names - {"NONE"})}


def _mtp_models(sources: Sources) -> dict[str, str]:
    """Architectures that the draft model configuration replaces by their MTP form (``configs/model_config.py``)."""
    module = sources.module("sglang.srt.configs.model_config")
    found: dict[str, str] = {}
    for node in ast.walk(module.tree) if module else ():
        if isinstance(node, ast.If) and "is_draft_model" in ast.unparse(node.test):
            for inner in node.body:
                sets = isinstance(inner, ast.Assign) and "architectures" in ast.unparse(inner.targets[0])
                if sets and isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Constant):
                    for name in _ARCHITECTURE.findall(ast.unparse(node.test)):
                        found[name] = str(inner.value.value)
    return found


def _environment(interpreter: Interpreter, sources: Sources) -> dict[str, bool]:
    found: set[str] = set()
    module = sources.module("sglang.srt.environ")
    for node in ast.walk(module.tree) if module else ():
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    name = statement.targets[0].id
                    if re.fullmatch(r"[A-Z][A-Z0-9_]{3,}", name) and isinstance(statement.value, ast.Call):
                        found.add(name)
    for text in sources.texts():
        if "SGL" in text:
            found |= set(_VARIABLE.findall(text))
    return dict.fromkeys(sorted(found), True)
