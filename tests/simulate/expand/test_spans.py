"""The places of tiles: every execution of an operator covers its output exactly once, and says where it begins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from megasolve.contracts.sizes.symbols import symbol_values
from megasolve.simulate.tiles.program import TileProgram
from megasolve.simulate.tiles.tile import Tile
from megasolve.simulate.tiling import device_rates, expand
from tests.support.kernels.streamlet import entry_of, shipped


def program_of(entry: str, group: str, batch: int) -> TileProgram:
    study = shipped()
    contract = entry_of(study, entry)
    return expand(contract, group, symbol_values(study.spec.value, group, batch), device_rates(contract, study.device.value, 132))


def outputs_of(tiles: Sequence[Tile]) -> dict[str, list[tuple[int, int]]]:
    """The cells of each operator's output that its tiles name, in order, with every repetition."""
    cells: dict[str, list[tuple[int, int]]] = {}
    for tile in tiles:
        assert tile.spans is not None
        rows, columns, depth = tile.spans
        assert depth[0] == 0
        cells.setdefault(tile.operator, []).extend(product(range(*rows), range(*columns)))
    return cells


@pytest.mark.parametrize(("entry", "group", "batch"), [("P", "P", 1), ("B", "B", 3), ("L", "L", 33), ("C", "C", 5)])
def test_the_tiles_of_an_execution_cover_its_output_exactly_once(entry: str, group: str, batch: int) -> None:
    program = program_of(entry, group, batch)
    for section in (program.prologue, program.body, program.epilogue):
        for operator, cells in outputs_of(section.tiles).items():
            rows, columns = (max(places) + 1 for places in zip(*cells, strict=True))
            assert sorted(cells) == sorted(product(range(rows), range(columns))), operator


def test_only_the_first_tile_of_an_execution_begins_at_the_origin() -> None:
    program = program_of("P", "P", 2)
    for section in (program.prologue, program.body, program.epilogue):
        tiles = list(section.tiles)
        first = {tile.operator: row for row, tile in reversed(list(enumerate(tiles)))}
        at_origin = [row for row, tile in enumerate(tiles) if tile.spans is not None and not any(begin for begin, _ in tile.spans)]
        assert at_origin == [row for row, tile in enumerate(tiles) if first[tile.operator] == row]
