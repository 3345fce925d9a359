"""Calls of ``add_argument`` into the plain facts of the catalogue."""

from __future__ import annotations

import ast
from typing import Any

from catalogue.interpreter import Interpreter
from catalogue.values import Call, Class, External, Function, Hint, Member, Unknown, Wrapped

Spec = dict[str, Any]

_ACTIONS = {
    "store_true": "true",
    "store_false": "false",
    "append": "append",
    "extend": "extend",
    "store_const": "const",
    "help": "help",
    "version": "help",
    "store": "store",
}
# Converters by the name of the function that the release calls.
_CONVERTERS = {
    "int": "int",
    "str": "str",
    "float": "float",
    "bool": "bool",
    "json.loads": "json",
    "loads": "json",
    "human_readable_int": "human_int",
    "human_readable_int_or_auto": "human_int_or_auto",
    "union_dict_and_str": "object_or_str",
    "nullable_str": "optional_str",
    "parse_reasoning_parser": "none_is_empty",
    "parse_cuda_graph_config_arg": "object",
    "parse_cuda_graph_backend_arg": "str",
    "json_list_type": "json_list",
    "str.lower": "lower",
    "str.upper": "upper",
}
_LAMBDAS = {
    "s.lower().replace('-', '_')": "snake",
    "[int(device_id) if device_id.isdigit() else device_id "
    "for device_id in (part.strip() for part in s.split(','))]": "comma_list",
}


def plain(value: Any) -> Any:
    """``value`` as JSON, or Unknown where it is none. Enum members become their values, as the parser shows them."""
    if isinstance(value, Member):
        return plain(value.value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple):
        inner = [plain(each) for each in value]
        return next((each for each in inner if isinstance(each, Unknown)), inner)
    if isinstance(value, set | frozenset):
        return plain(sorted(value, key=str))
    if isinstance(value, dict):
        made = {str(key): plain(each) for key, each in value.items()}
        return next((each for each in made.values() if isinstance(each, Unknown)), made)
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Call):
        return {}  # an instance of a config class with its own defaults
    return Unknown(getattr(value, "name", str(value)))


def default_into(spec: Spec, value: Any) -> None:
    """Puts a default into ``spec``: ``default`` where it is known and not None, else ``computed``."""
    made = plain(value)
    if isinstance(made, Unknown):
        spec["computed"] = made.expression
    elif made is not None:
        spec["default"] = made


def converter(value: Any) -> str:
    """The name of the converter that ``type=`` stands for."""
    if value is None:
        return "str"
    if isinstance(value, Wrapped):
        inner = converter(value.inner)
        if value.by == "parse_type":
            return inner
        return f"optional_{inner}" if not inner.startswith("optional_") else inner
    if isinstance(value, Class):
        return "object"
    if isinstance(value, Function) and isinstance(value.node, ast.Lambda):
        body = ast.unparse(value.node.body)
        names = [argument.arg for argument in value.node.args.args]
        return _LAMBDAS.get(body, f"other:{','.join(names)}: {body}" if len(body) < 60 else "other")
    if isinstance(value, Function) and value.name == "human_readable_int" and "Ki" in ast.unparse(value.node):
        return "si_int"  # SGLang: k is 1000 and Ki is 1024; vLLM: k is 1000 and K is 1024
    name = value.name if isinstance(value, External | Function) else getattr(value, "expression", str(value))
    return _CONVERTERS.get(name) or _CONVERTERS.get(name.split(".")[-1]) or f"other:{name.split('.')[-1]}"


def option(positional: tuple[Any, ...], named: dict[str, Any]) -> tuple[str, Spec] | None:
    """(main spelling, facts) of one ``add_argument`` call; None for a positional argument."""
    strings = [each for each in positional if isinstance(each, str)]
    if not strings or not strings[0].startswith("-"):
        return None
    main = next((each for each in strings if each.startswith("--")), strings[0])
    spec: Spec = {}
    others = [each for each in strings if each != main]
    if others:
        spec["also"] = others
    if isinstance(named.get("dest"), str) and named["dest"] != main.lstrip("-").replace("-", "_"):
        spec["name"] = named["dest"]
    action = _action(named, spec)
    if action != "store":
        spec["action"] = action
    if action in ("store", "append", "extend"):
        _values(named, spec)
    elif action == "const":
        spec["const"] = plain(named.get("const", named.get("const_value")))
    if action == "true" and "default" not in named:
        named = {**named, "default": False}
    default_into(spec, named.get("default"))
    if spec.get("computed") == "SUPPRESS" or spec.get("computed", "").endswith(".SUPPRESS"):
        del spec["computed"]
    if named.get("required") is True:
        spec["required"] = True
    if named.get("bounds"):
        spec["bounds"] = named["bounds"]
    if isinstance(named.get("new_flag"), str) and spec.get("deprecated"):
        spec["new"] = named["new_flag"]
    return main, spec


def _action(named: dict[str, Any], spec: Spec) -> str:
    action = named.get("action", "store")
    if isinstance(action, str):
        return _ACTIONS.get(action, "store")
    name = _name_of(action)
    if "Deprecated" in name:
        spec["deprecated"] = True
    if name == "BooleanOptionalAction":
        return "boolean"
    if name == "DeprecatedStoreTrueAction":
        return "true"
    if name == "DeprecatedStoreConstAction":
        return "const" if named.get("nargs", 0) == 0 else "store"
    if name == "DeprecatedAction":
        return "refuse" if named.get("error_message") is not None else "ignore"
    return "store"


def _name_of(action: Any) -> str:
    return str(getattr(action, "name", getattr(action, "expression", ""))).split(".")[-1]


def _values(named: dict[str, Any], spec: Spec) -> None:
    nargs = named.get("nargs")
    if nargs is not None:
        spec["nargs"] = nargs
    name = converter(named.get("type"))
    if _name_of(named.get("action")) == "LoRAParserAction":
        name = "lora_module"
    if name != "str":
        spec["type"] = name
    choices = named.get("choices")
    if choices is not None:
        listed = plain(choices)
        if not isinstance(listed, Unknown):
            spec["choices"] = listed
    if named.get("const") is not None:
        spec["const"] = plain(named["const"])


def key_types(hint: Any, interpreter: Interpreter) -> tuple[list[str], list[Any] | None, Class | None]:
    """(JSON types, choices, config class) of the hint of one key of a JSON option. No types: anything."""
    types: list[str] = []
    choices: list[Any] = []
    cls: Class | None = None
    for each in flat(hint):
        if each is None or (isinstance(each, External) and each.name == "None"):
            types.append("null")
        elif isinstance(each, Hint) and each.kind == "Literal":
            values = literal(each)
            choices += values
            types.append("string" if all(isinstance(value, str) for value in values) else "integer")
        elif isinstance(each, Hint):
            name = {"list": "array", "tuple": "array", "set": "array", "dict": "object", "sequence": "array"}.get(
                each.kind
            )
            if name is None:
                return [], None, None
            types.append(name)
        elif isinstance(each, Class) and not interpreter.is_enum(each) and interpreter.fields(each):
            cls = each
            types.append("object")
        else:
            name = {
                "int": "integer",
                "float": "number",
                "bool": "boolean",
                "str": "string",
                "dict": "object",
                "list": "array",
            }.get(getattr(each, "name", ""))
            if name is None:
                return [], None, None
            types.append(name)
    wide = (
        choices and "string" in types and any(isinstance(each, External) and each.name == "str" for each in flat(hint))
    )
    return sorted(set(types)), None if wide or not choices else choices, cls


def flat(hint: Any) -> list[Any]:
    """The members of a union, ``Annotated`` taken off."""
    if isinstance(hint, Hint) and hint.kind == "Union":
        return [inner for each in hint.arguments for inner in flat(each)]
    if isinstance(hint, Hint) and hint.kind in ("Annotated", "SkipValidation"):
        return flat(hint.arguments[0])
    if isinstance(hint, Hint) and hint.kind.lower() == "skipvalidation":
        return flat(hint.arguments[0])
    return [hint]


def literal(hint: Hint) -> list[Any]:
    """The values of a ``Literal``, nested ones included."""
    found: list[Any] = []
    for each in hint.arguments:
        found += literal(each) if isinstance(each, Hint) and each.kind == "Literal" else [each]
    return found
