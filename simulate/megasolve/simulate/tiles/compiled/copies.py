"""Copies of functions for the compiler: the same code, with compiled functions in the place of those that it calls."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeAlias

Compiler: TypeAlias = Callable[[FunctionType], Any]


def compiled_copies(function: FunctionType, compiler: Compiler, replaced: dict[str, FunctionType], package: str) -> list[Any]:
    """Return what *compiler* makes of *function* and of all functions of *package* that it calls, each behind those that it calls itself.

    Where *replaced* has the name of one, that stands in its place. What is compiled looks up the functions that it calls among its globals,
    so a copy has globals of its own.
    """
    copier = _Copier(compiler, replaced, package)
    copier.compiled(function)
    return copier.made


class _Copier:
    """Compiles each function once."""

    def __init__(self, compiler: Compiler, replaced: dict[str, FunctionType], package: str) -> None:
        self._compiler = compiler
        self._replaced = replaced
        self._package = package
        self._known: dict[FunctionType, Any] = {}
        self.made: list[Any] = []

    def compiled(self, function: FunctionType) -> Any:
        """Return the compiled copy of *function*."""
        if function not in self._known:
            self._known[function] = self._compiler(FunctionType(function.__code__, self._globals(function), function.__name__))
            self.made.append(self._known[function])
        return self._known[function]

    def _globals(self, function: FunctionType) -> dict[str, object]:
        found: dict[str, object] = dict(function.__globals__)
        for name in function.__code__.co_names:
            value = found.get(name)
            if isinstance(value, FunctionType) and value.__module__.startswith(self._package):
                found[name] = self.compiled(self._replaced.get(name, value))
        return found
