"""The operations that the kernels know, by name: those of every module in `operators/`, which is all that an operator needs here."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping

from . import operators
from .operation import Operation

INSTRUCTION_BYTES = 128
"""Shared memory that the interpreter needs beside its operators: the instruction that it runs."""


def _found() -> Iterator[Operation]:
    for one in pkgutil.iter_modules(operators.__path__):
        values = vars(importlib.import_module(f"{operators.__name__}.{one.name}")).values()
        yield from (value for value in values if isinstance(value, Operation))


# By code, so that no order depends on the names of files.
OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in sorted(_found(), key=lambda one: one.code)}


def operations_of_kinds(kinds: Iterable[str]) -> frozenset[str]:
    """Return the operations that run contract operators of *kinds*, at any batch, and the kinds that none runs as they are."""
    wanted = frozenset(kinds)
    known = {operation.operator_kind for operation in OPERATIONS.values()}
    return frozenset(name for name, operation in OPERATIONS.items() if operation.operator_kind in wanted) | (wanted - known)


def shared_bytes(operation: str, threads: int) -> int:
    """Return the dynamic shared memory of a block of *threads* in the conventional kernel of *operation*."""
    return OPERATIONS[operation].shared_bytes(threads)


def entry_shared_bytes(operations: Iterable[str], threads: int) -> int:
    """Return the dynamic shared memory of a block of *threads* in a persistent entry that holds *operations*."""
    # A block runs one operator at a time, so all of them share what the neediest one takes.
    return INSTRUCTION_BYTES + max(shared_bytes(operation, threads) for operation in operations)


def operations_mask(operations: Iterable[str]) -> int:
    """Return `MS_OPERATIONS` of an entry that holds *operations*: a bit per code."""
    return sum(1 << OPERATIONS[operation].code for operation in set(operations))
