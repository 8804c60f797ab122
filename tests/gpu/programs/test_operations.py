"""The operations of the kernels: each in one module, found by itself, with a kernel of its name in the header that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from megasolve.gpu.compile.kernels_source import kernel_sources
from megasolve.gpu.programs.operations import OPERATIONS, operations_of_kinds
from tests.support.command import CHECKOUT

GPU = CHECKOUT / "gpu/megasolve/gpu"
# An everyday word, which stands elsewhere too.
NAMES = sorted(set(OPERATIONS) - {"step"})


def modules_that_name(operation: str) -> Iterator[str]:
    """Yield the modules that programs are made, proved and compiled with in which *operation* is a word in quotes."""
    for folder in ("programs", "compile", "harness"):
        for path in sorted((GPU / folder).rglob("*.py")):
            if re.search(f"[\"']{operation}[\"']", path.read_text(encoding="utf-8")):
                yield path.relative_to(GPU).as_posix()


@pytest.mark.parametrize("operation", NAMES)
def test_an_operation_stands_in_one_module(operation: str) -> None:
    (module,) = modules_that_name(operation)
    assert module.startswith("programs/operators/")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_kernel_of_an_operation_stands_in_the_header_that_it_names(operation: str) -> None:
    header = OPERATIONS[operation].header_file
    assert f"void op_{operation}(" in kernel_sources()[header]
    assert f'#include "{header}"\n' in kernel_sources()["operators.h"]


def test_the_kinds_that_run_as_they_are_and_those_that_no_operation_runs() -> None:
    assert operations_of_kinds(["norm", "matmul"]) == {"norm", "matmul", "matvec"}
    assert operations_of_kinds(["scan"]) == {"scan"}
    assert operations_of_kinds([]) == frozenset()


def test_what_gives_the_parts_of_a_tile_and_what_is_at_least_one_are_arguments() -> None:
    for operation in OPERATIONS.values():
        given = {name for axis in operation.axes for name in axis}
        assert operation.axes
        assert given | operation.sizes <= set(operation.arguments)
        assert {name for _, name in operation.axes} <= operation.sizes
