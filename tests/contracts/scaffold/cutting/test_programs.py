"""What kernels compute as a program: equal launches once, tiles that fit, and totals that are those of the shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import check_spec
from megasolve.contracts.observe.observation import AttributedBy, GroupRule
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.observe.shapes.shaped import Computed, MovedBytes, Shaped, sizes
from megasolve.contracts.profiles import ObservedDevice, OperatorCall
from megasolve.contracts.scaffold import Wishes, scaffold
from megasolve.contracts.scaffold.cutting.programs import program
from tests.support.planning.device_names import H100
from tests.support.profiles.executions import execution, kernel

BF16 = "c10::BFloat16"
MI300X = ObservedDevice(0, "AMD Instinct MI300X", 304)
MATMUL = Shaped("matmul", "matmul", sizes(m=8944, n=1024, k=1024), 2, None, has_bias=True)


def operators(*launches: tuple[Computed, ...]) -> list[Any]:
    blocks: Any = program(launches, 120)
    return [operator for block in blocks for operator in block["operators"]]


def test_equal_launches_are_one_operator_that_repeats() -> None:
    blocks = program([(MATMUL,), (MATMUL,), (MovedBytes("copy", 0, 1024, 1024),)], 120)
    assert [block.get("repeat", 1) for block in blocks] == [2, 1]


def test_a_launch_that_is_not_recognized_leaves_no_program() -> None:
    assert program([(MATMUL,), ()], 120) == program([], 120) == ()


def test_the_output_of_a_tile_fits_on_any_device() -> None:
    (one,) = operators((MATMUL,))
    (tile,) = one["tile"]
    assert 2 * tile["m"] * tile["n"] <= 48 * 1024
    (moved,) = operators((MovedBytes("copy", 0, 18_317_312, 36_634_624),))
    assert moved["output_bytes"] <= 48 * 1024
    assert moved["tiles"] * moved["output_bytes"] == 36_634_624


def test_a_batch_of_products_is_as_many_of_them() -> None:
    (block,) = program([(Shaped("matmul", "matmul", sizes(m=8, n=8, k=8), 2, times=16),)], 120)
    assert block["repeat"] == 16


def test_programs_of_a_trace_pass_their_check_and_its_parameters_count_once(tmp_path: Path) -> None:
    linear = OperatorCall(1, "aten::addmm", ((4096,), (64, 1024), (1024, 4096), (), ()), (BF16, BF16, BF16, "Scalar", "Scalar"))
    of = execution([kernel("gemm", 0, 90, operator=linear), kernel("gemm", 100, 90, operator=linear._replace(number=2))], devices=(H100,))
    rules = AttributedBy((GroupRule("step"),))
    made = scaffold(observe((of,), rules), (of,), rules, Wishes("model", ".", "model"))
    assert made.shapes is not None
    assert (made.shapes.parameters, made.shapes.below) == (2 * (4096 * 1024 + 4096), ())
    (tmp_path / "model/contracts").mkdir(parents=True)
    for name, text in made.contracts.items():
        (tmp_path / "model/contracts" / name).write_text(text)
    (tmp_path / "model/records.yaml").write_text(made.records)
    (tmp_path / "model.yaml").write_text(made.spec)
    study, findings = check_spec(tmp_path / "model.yaml")
    assert findings == ()
    assert study.contracts[0].value.programs["step"][0].repeat == 2


# Three matrices of 4096 x 4096 are 101 MB: twice the L2 of an H100, and less than the caches of an MI300X.
@pytest.mark.parametrize(
    ("side", "on", "why"),
    [
        (8192, H100, "its shapes contradict its time"),
        (4096, H100, "its shapes contradict its time"),
        (2048, H100, "in L2"),
        (4096, MI300X, "in L3"),
        (8192, MI300X, "its shapes contradict its time"),
    ],
)
def test_a_kernel_below_its_floor_is_marked(side: int, on: ObservedDevice, why: str) -> None:
    linear = OperatorCall(1, "aten::mm", ((side, side), (side, side)), (BF16, BF16))
    of = execution([kernel("gemm", 0, 1, operator=linear)], devices=(on,))
    rules = AttributedBy((GroupRule("step"),))
    made = scaffold(observe((of,), rules), (of,), rules, Wishes("model", ".", "model"))
    assert made.shapes is not None
    (sentence,) = made.shapes.below
    assert sentence.endswith(why)
