"""Accesses of tiles: nothing else is read, and nothing else is written, than what follows from the arguments."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from megasolve.gpu.programs.arenas import Arenas, Layout
from megasolve.gpu.programs.group_calls import serial_calls
from megasolve.gpu.programs.instructions import Instruction
from megasolve.gpu.programs.operations import OPERATIONS
from megasolve.gpu.programs.ordering import elements_of
from megasolve.gpu.programs.tile import Access, ArenaRegion
from tests.support.judges.tile_interpreter import run_tile
from tests.support.kernels.streamlet import compiled, small

BATCH = 9
MODEL, PROGRAM = compiled(small(), "P_B_L_C", BATCH, serial_calls(small().spec.value))
NOT_A_NUMBER = 0x7FC0


def samples_of(operation: str) -> list[Instruction]:
    """Some tiles of *operation* in the program, the last of them the one that is cut off."""
    ones = (PROGRAM.instruction(index) for index in range(len(PROGRAM)))
    found = list({one.arguments: one for one in ones if one.operation.name == operation}.values())
    return [*found[:: max(len(found) // 5, 1)], found[-1]]


def elements(found: Iterable[Access], arena: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    regions = [elements_of(access.region) for access in found if access.region.arena == arena]
    return np.concatenate([*regions, np.zeros(0, np.int64)]).astype(np.int64)


def random_arenas(layout: Layout) -> Arenas:
    random = np.random.default_rng(0)
    weights = random.integers(0x3C00, 0x3F80, layout.sizes["weights"]).astype(np.uint16)
    ids = random.integers(0, MODEL.sizes.vocab, layout.sizes["ids"]).astype(np.int32)
    return Arenas(layout, random.standard_normal(layout.sizes["floats"]).astype(np.float32), weights, ids)


def poisoned_elsewhere(arenas: Arenas, found: Iterable[Access], *, keep_weights: bool) -> Arenas:
    """Return *arenas* with NaN, and no token, in all that *found* does not name as read; a state is read where it is written."""
    read = [access for access in found if not access.writes or access.argument == "state"]
    floats, weights, ids = np.full_like(arenas.floats, np.nan), np.full_like(arenas.weights, NOT_A_NUMBER), np.full_like(arenas.ids, -1)
    for name, into, source in (("floats", floats, arenas.floats), ("weights", weights, arenas.weights), ("ids", ids, arenas.ids)):
        kept = elements(read, name)
        into[kept] = source[kept]
    return Arenas(arenas.layout, floats, arenas.weights if keep_weights else weights, ids)


@pytest.mark.parametrize("operation", sorted(set(OPERATIONS) - {"matvec"}))
def test_a_tile_touches_what_its_accesses_say_and_nothing_else(operation: str) -> None:
    plenty = random_arenas(MODEL.layout)
    for one in samples_of(operation):
        found = one.operation.touched(one.arguments)
        bare = poisoned_elsewhere(plenty, found, keep_weights=operation == "embedding")
        before, after = bare.copied(), plenty.copied()
        run_tile(after, one.operation, one.arguments)
        run_tile(bare, one.operation, one.arguments)
        written = [access for access in found if access.writes]
        for name, left, right in (("floats", bare.floats, after.floats), ("ids", bare.ids, after.ids)):
            inside = np.zeros(len(left), bool)
            inside[elements(written, name)] = True
            np.testing.assert_array_equal(left[inside], right[inside])
            assert not np.isnan(left[inside]).any()
            np.testing.assert_array_equal(left[~inside], (before.floats if name == "floats" else before.ids)[~inside])


def test_a_vector_product_touches_what_a_matrix_product_does() -> None:
    for one in samples_of("matmul"):
        assert OPERATIONS["matvec"].touched(one.arguments) == one.operation.touched(one.arguments)


def test_a_convolution_whose_kernel_is_shorter_than_its_stride_reads_no_input_for_some_rows() -> None:
    shape = {"c_in": 8, "c_out": 1, "kernel": 2, "stride": 3, "t_in": 4, "row_first": 2, "rows": 1, "col_first": 0, "cols": 1}
    operation = OPERATIONS["conv_transpose1d"]
    arguments = tuple({**dict.fromkeys(operation.arguments, 0), "ldx": 8, "ldy": 1, **shape}[name] for name in operation.arguments)
    assert [access.argument for access in operation.touched(arguments)] == ["weight", "bias", "y"]


def test_a_region_is_its_runs() -> None:
    region = ArenaRegion("floats", 10, 7, 3, 2)
    assert elements_of(region).tolist() == [10, 11, 17, 18, 24, 25]
    assert region.end == 26
