"""Stand-ins for packages that are not installed, so that the code of an engine release can be imported.

Whatever the code imports that is neither part of Python nor named as real is a stand-in, which answers every question
with another stand-in. A stand-in is true, so questions after a platform are answered as on an NVIDIA GPU with
everything installed.
"""

from __future__ import annotations

import abc
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Collection
from typing import Any, ClassVar


def _special(name: str) -> bool:
    return str.startswith(name, "__") and str.endswith(name, "__")


class Kind(abc.ABCMeta):
    def __getattr__(cls, name: str) -> Any:
        if _special(name):
            raise AttributeError(name)
        return StandIn(name)


class Base(metaclass=Kind):
    """What a class inherits that inherits from a stand-in. It keeps its arguments, as structs and models do."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in {**dict(zip(type(self).__annotations__, args, strict=False)), **kwargs}.items():
            setattr(self, name, value)

    def __init_subclass__(cls, **kwargs: Any) -> None: ...

    def __class_getitem__(cls, key: Any) -> Any:
        return cls


class StandIn(str):
    """Answers with stand-ins. It is a text, its own name, because the code looks things up by the names it gets."""

    def __getattribute__(self, name: str) -> Any:
        if _special(name) and name not in ("__func__", "__class_validators__"):
            return super().__getattribute__(name)
        return StandIn(name)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        first = next(each for each in bases if isinstance(each, StandIn))
        inherited = any(isinstance(each, type) and issubclass(each, Base) for each in bases)
        return (Base,) if first is self and not inherited else ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # A decorator gives back what it decorates.
        if (
            str.__str__(self) != "dumps"
            and len(args) == 1
            and not kwargs
            and isinstance(args[0], types.FunctionType | type | staticmethod)
        ):
            return args[0]
        return StandIn(self)

    def __contains__(self, item: Any) -> bool:
        return False

    def __iter__(self) -> Any:
        return iter(())

    def _itself(self, *others: Any) -> Any:
        return self

    __getitem__ = __or__ = __ror__ = __and__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _itself
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __neg__ = __invert__ = __enter__ = _itself

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __exit__(self, *args: Any) -> None: ...

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __int__(self) -> int:
        return 9

    __index__ = __int__

    # Versions are compared; everything is as new as anybody asks for.
    def __ge__(self, other: Any) -> bool:
        return True

    __gt__ = __ge__

    def __le__(self, other: Any) -> bool:
        return False

    __lt__ = __le__


class Module(types.ModuleType):
    __path__: ClassVar[list[str]] = []
    __version__ = "99.0.0"
    __file__ = "stand-in"

    def __getattr__(self, name: str) -> Any:
        if _special(name):
            raise AttributeError(name)
        return StandIn(name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """First of all finders: everything but Python itself and the packages in ``real`` is a stand-in."""

    def __init__(self, real: Collection[str]) -> None:
        self.real = {*real, *sys.stdlib_module_names}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name.partition(".")[0] in self.real:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None: ...


def install(*real: str) -> None:
    """From now on every package but ``real`` and Python's own is a stand-in."""
    sys.meta_path.insert(0, Finder(real))
