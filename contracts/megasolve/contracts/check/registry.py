"""The registry of the rules of files: it finds every rule where it stands, and loads none before one is asked for."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType
from typing import Any, ParamSpec, TypeVar, cast

from ..files import rules as of_names
from ..files.schema import errors as of_schemas
from ..files.schema import kinds as of_kinds
from ..files.yaml import rules as of_texts
from ..limits import grids, partitions, shapes
from ..model.rules import Check, Rule, Subject, checks_in, rules_in
from . import ignoring

Asked = ParamSpec("Asked")
Broken = TypeVar("Broken")

# Reading and planning find these out themselves.
_ELSEWHERE = (of_texts, of_schemas, of_kinds, of_names, ignoring, shapes, grids, partitions)


@cache
def every_rule() -> tuple[Rule, ...]:
    """Return the rules of files, by code."""
    return rules_in((*_ELSEWHERE, *_families()))


def checks_on(subject: Subject[Asked, Broken]) -> tuple[Check[Asked, Broken], ...]:
    """Return the checks that look at *subject*, in the order of their modules and of their places in them."""
    return tuple(cast("Check[Asked, Broken]", one) for one in _every_check() if one.on is subject)


@cache
def _every_check() -> tuple[Check[..., Any], ...]:
    return checks_in(_families())


@cache
def _families() -> tuple[ModuleType, ...]:
    from . import rules

    found = pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")
    return tuple(importlib.import_module(one.name) for one in found)
