"""What a column without values tells of a kernel; a case from the field."""

from __future__ import annotations

from pathlib import Path

from tests.support.profiles.nsys import KERNELS, one_kernel


def test_c60_registers_of_nulls_and_no_registers_give_the_same_answer(tmp_path: Path) -> None:
    without, nulls, zeros = one_kernel(), one_kernel(), one_kernel()
    del without.rows[KERNELS][0]["registersPerThread"]
    nulls.rows[KERNELS][0]["registersPerThread"] = None
    zeros.rows[KERNELS][0]["registersPerThread"] = 0
    shapes = {export.read(tmp_path / name).kernels[0].shape for export, name in ((without, "a"), (nulls, "b"), (zeros, "c"))}
    assert [shape.registers for shape in shapes] == [None]
