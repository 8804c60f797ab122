"""The kernel as machine code does what its source does in Python, line by line; what lies outside its part of Python is refused."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.simulate.tiles.compiled.expressions import Untranslatable
from megasolve.simulate.tiles.compiled.translation import translated
from tests.support.simulation import kernel_lines
from tests.support.toolchain import needs_compiler

NUMBERS = st.integers(-20, 20) | st.integers(-(2**30), 2**30)


@cache
def compiled(function: FunctionType) -> Any:
    from megasolve.simulate.tiles.compiled.code import CompiledRun, machine_code

    return CompiledRun(machine_code(function))


def ran(function: Any, cells: Any) -> int | str:
    try:
        return int(function(cells))
    except MemoryError:
        return "no room"


@needs_compiler
@pytest.mark.parametrize("name", ["arithmetic", "tests", "loops", "failing"])
@given(st.tuples(NUMBERS, NUMBERS))
def test_compiled_lines_do_what_they_do_in_python(name: str, numbers: tuple[int, int]) -> None:
    function = getattr(kernel_lines, name)
    plain = [*numbers, *[0] * 14]
    cells = np.array(plain, np.int64)
    assert (ran(compiled(function), cells), cells.tolist()) == (ran(function, plain), plain)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("comparing", "cannot compile '0 < m[0] < 5'"),
        ("dividing", "cannot compile 'm[0] % 2'"),
        ("listing", "cannot compile 'sum([m[0]])'"),
        ("stepping", r"cannot compile 'm[0]'"),
        ("recursive", "recursive calls itself"),
        ("elsewhere", "the first argument of tests.support.simulation.kernel_lines.elsewhere is not 'm'"),
        ("raising", "cannot compile 'raise ValueError'"),
    ],
)
def test_a_line_outside_that_part_is_refused_with_its_place(name: str, cause: str) -> None:
    with pytest.raises(Untranslatable) as refused:
        translated(getattr(kernel_lines, name), {})
    assert cause in str(refused.value)
    assert "tests.support.simulation.kernel_lines" in str(refused.value)


@needs_compiler
def test_each_function_of_the_kernel_is_translated_once() -> None:
    from megasolve.simulate.tiles.compiled.code import FIRST, REPLACED

    lines = translated(FIRST, REPLACED).splitlines()
    names = [line.partition("(")[0] for line in lines if line.startswith("define ")]
    assert len(names) == len(set(names)) > 80
