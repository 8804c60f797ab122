"""The kinds of operators by name: those of every module here, which is all that a kind needs on this side of the kernels."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from .kind import OperatorKind


def _found() -> Iterator[OperatorKind]:
    for one in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not one.ispkg and one.name != __name__.rpartition(".")[2]:
            values = vars(importlib.import_module(f".{one.name}", __package__)).values()
            yield from (value for value in values if isinstance(value, OperatorKind))


OPERATOR_KINDS: Mapping[str, OperatorKind] = {kind.name: kind for kind in sorted(_found(), key=lambda one: one.number)}
MAY_BE_ZERO = frozenset[str]().union(*(kind.may_be_zero for kind in OPERATOR_KINDS.values()))
