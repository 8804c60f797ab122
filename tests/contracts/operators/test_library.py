"""Tiles of libraries: which there are, how fast they compute and what they hold."""

from __future__ import annotations

from decimal import Decimal

import pytest

from megasolve.contracts.check.rules.operator.library import library_misplaced
from megasolve.contracts.operators.library import LIBRARY_SHAPES, LIBRARY_TILES, library_efficiency, library_staging
from tests.support.planning.operators import HEAD, block, contract_with

PRODUCT = "name: up, kind: matmul, shape: {m: 8, n: 8, k: 8}, library: true"
KERNEL = HEAD.replace("megakernel", "conventional").replace("budgets_ctas: [132]\n", "")


@pytest.mark.parametrize(
    ("rows", "columns", "element_bytes", "efficiency"),
    [
        (128, 256, 2, "0.800"),
        (256, 128, 2, "0.800"),
        (128, 128, 2, "0.636"),
        (192, 128, 2, "0.735"),
        (64, 64, 2, "0.365"),
        (128, 256, 1, "1.420"),
        (128, 256, 4, "0.320"),
    ],
)
def test_a_tile_that_reads_less_for_each_product_computes_faster(rows: int, columns: int, element_bytes: int, efficiency: str) -> None:
    assert library_efficiency({"m": rows, "n": columns}, element_bytes) == Decimal(efficiency)


def test_an_sm_that_computes_little_is_fed_by_smaller_tiles_and_reaches_more_of_its_peak() -> None:
    fed, rtx_4090 = 312e12 / 108, 165e12 / 128
    shapes = [{"m": rows, "n": columns} for rows, columns in LIBRARY_SHAPES]
    assert [library_efficiency(shape, 2, fed) for shape in shapes] == [library_efficiency(shape, 2) for shape in shapes]
    assert [library_efficiency(shape, 2, 3 * fed) for shape in shapes] == [library_efficiency(shape, 2) for shape in shapes]
    assert library_efficiency({"m": 128, "n": 256}, 2, rtx_4090) == library_efficiency({"m": 128, "n": 96}, 2, rtx_4090) == Decimal("1.000")
    assert Decimal("0.800") < library_efficiency({"m": 64, "n": 64}, 2, rtx_4090) < 1


def test_every_shape_comes_whole_and_in_slabs() -> None:
    assert len(LIBRARY_TILES) == 4 * len(LIBRARY_SHAPES)
    assert all("k" not in tile for tile in LIBRARY_TILES[: len(LIBRARY_SHAPES)])


def test_no_tile_has_more_outputs_than_the_largest_that_is_known() -> None:
    assert max(rows * columns for rows, columns in LIBRARY_SHAPES) == 128 * 256
    assert {(64, 64), (96, 256), (128, 192), (128, 256)} <= set(LIBRARY_SHAPES)


# Two stages as deep as a line of the memory, or the output. In 8 and 16 bits all tiles fit an SM of 100 KiB, in 32 bits smaller ones.
@pytest.mark.parametrize(
    ("rows", "columns", "widths", "staging"),
    [(128, 256, (2, 2), 98_304), (128, 256, (1, 1), 98_304), (64, 64, (2, 1), 24_576), (256, 128, (4, 4), 131_072)],
)
def test_a_tile_holds_two_stages_and_its_output(rows: int, columns: int, widths: tuple[int, int], staging: int) -> None:
    assert library_staging({"m": rows, "n": columns}, *widths) == staging


@pytest.mark.parametrize(
    ("head", "operator", "said"),
    [
        (KERNEL, PRODUCT, []),
        (HEAD, PRODUCT, ["in a megakernel"]),
        (KERNEL, PRODUCT + ", compute_us: 1, staging_bytes: 64", ["compute_us, staging_bytes of none"]),
        (KERNEL, PRODUCT + ", tile: [{m: 4}], compute_us: 1, staging_bytes: 64", []),
        (KERNEL, "name: n, kind: norm, shape: {rows: 8, dim: 8}, library: true", ["'n' is a norm"]),
    ],
)
def test_a_library_has_products_of_conventional_kernels_alone(head: str, operator: str, said: list[str]) -> None:
    faults = list(library_misplaced(contract_with(block(operator), head=head)))
    assert len(faults) == len(said)
    assert all(part in fault.message for part, fault in zip(said, faults, strict=True))
