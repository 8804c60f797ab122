"""What the kernels of a step compute, and what that says of the batch."""

from __future__ import annotations

from megasolve.contracts.observe.shapes.pattern import pattern_operators
from megasolve.contracts.profiles import Kernel, OperatorCall
from tests.support.profiles.executions import kernel

BF16 = "c10::BFloat16"
LINEAR = OperatorCall(1, "aten::mm", ((64, 512), (512, 128)), (BF16, BF16))
SUM = OperatorCall(2, "aten::add", ((4, 16, 512), (4, 16, 512), ()), (BF16, BF16, "Scalar"))


def launched(*calls: tuple[OperatorCall | None, int]) -> list[Kernel]:
    return [kernel("k", 100 * place, duration_us, operator=call) for place, (call, duration_us) in enumerate(calls)]


def test_batch_and_tokens_are_the_sides_whose_product_is_the_rows_of_products() -> None:
    found = pattern_operators(launched((LINEAR, 5), (SUM, 2)))
    assert (found.batch, found.tokens, found.recorded) == (4, 16, 2)
    assert pattern_operators(launched((SUM, 2))).batch is None


def test_of_several_kernels_of_one_call_the_longest_stands_for_it_if_it_is_nearly_all() -> None:
    found = pattern_operators(launched((LINEAR, 1), (LINEAR, 20)))
    assert list(map(bool, found.by_place)) == [False, True]
    assert not any(pattern_operators(launched((LINEAR, 10), (LINEAR, 12))).by_place)


def test_without_shapes_nothing_is_known() -> None:
    found = pattern_operators(launched((None, 5)))
    assert (found.by_place, found.recorded, found.batch) == (((),), 0, None)
