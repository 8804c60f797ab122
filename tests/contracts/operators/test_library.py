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
        (64, 64, 2, "0.365"),
        (128, 256, 1, "0.710"),
        (128, 256, 4, "0.800"),
    ],
)
def test_a_tile_that_reads_less_for_each_product_computes_faster(rows: int, columns: int, element_bytes: int, efficiency: str) -> None:
    assert library_efficiency({"m": rows, "n": columns}, element_bytes) == Decimal(efficiency)


def test_every_shape_comes_whole_and_in_slabs_and_fits_an_sm() -> None:
    assert len(LIBRARY_TILES) == 4 * len(LIBRARY_SHAPES)
    assert all("k" not in tile for tile in LIBRARY_TILES[: len(LIBRARY_SHAPES)])
    assert max(library_staging(tile, 2, 2) for tile in LIBRARY_TILES) == 4 * 64 * 384 * 2
    assert library_staging({"m": 64, "n": 64}, 2, 1) == 4 * 64 * (128 + 64)


@pytest.mark.parametrize(
    ("head", "operator", "said"),
    [
        (KERNEL, PRODUCT, []),
        (HEAD, PRODUCT, ["in a megakernel"]),
        (KERNEL, PRODUCT + ", compute_us: 1, staging_bytes: 64", ["its own compute_us, staging_bytes"]),
        (KERNEL, "name: n, kind: norm, shape: {rows: 8, dim: 8}, library: true", ["'n' is a norm"]),
    ],
)
def test_a_library_has_products_of_conventional_kernels_alone(head: str, operator: str, said: list[str]) -> None:
    faults = list(library_misplaced(contract_with(block(operator), head=head)))
    assert len(faults) == len(said)
    assert all(part in fault.message for part, fault in zip(said, faults, strict=True))
