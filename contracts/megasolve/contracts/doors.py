"""Front doors that load what they offer when it is asked for, so that no command pays for the rooms of the others.

A door imports its names for type checkers alone, and says so with `open_door`; each is loaded from there when it is first used.
"""

from __future__ import annotations

import ast
import sys
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any


class _Door(ModuleType):
    """A package that finds the names of its door where they are."""

    @cached_property
    def _homes(self) -> dict[str, tuple[str, str]]:
        """The module, as the door writes it, and the name there of each name of the door."""
        door = ast.parse(Path(self.__file__ or "").read_text(encoding="utf-8"))
        return {
            alias.asname or alias.name: ("." * node.level + (node.module or ""), alias.name)
            for node in ast.walk(door)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._homes:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home, known_as = self._homes[name]
        value = getattr(import_module(home, self.__name__), known_as)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        # Loading a room makes it an attribute of its package, where it must not hide what the door offers by that name.
        if not (isinstance(value, ModuleType) and name in self.__dict__.get("__all__", ())):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__dict__.get("__all__", ())})


def open_door(package: str) -> None:
    """Let *package*, which is being imported, load each name of its door when it is first used."""
    sys.modules[package].__class__ = _Door
