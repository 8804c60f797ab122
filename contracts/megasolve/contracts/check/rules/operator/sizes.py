"""Rules for the sizes of operators: whatever follows from a shape once its symbols have values.

A contract alone is checked as far as its sizes are plain numbers; reached from a spec, at every planned batch.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....model.contract import Contract
from ....model.findings import Fault
from ....model.programs.operators import ExplicitOperator, OpaqueOperator, ShapedOperator
from ....model.programs.symbols import ExpressionError, Extent, UnknownSymbol, parsed
from ....model.rules import rule
from ....model.wording import KeyPath
from ....operators.kinds import MAY_BE_ZERO, OPERATOR_KINDS
from ....operators.work import Grid
from ....sizes.operators import AnyOperator, size_of, sizes_written
from ....sizes.programs import MOST_EXECUTED_TILES, MOST_TILES, tiles_executed, tiles_made, widest_body
from ...subjects import SIZES
from .known import Symbols, has_its_keys, known_grids, known_size, known_sizes
from .paths import each_operator, operators_of


@rule("OPR-14", "size-impossible", "Sizes are at least 1, repeats and bytes at least 0, and nothing is divided by 0.", on=SIZES)
def size_impossible(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """A repeat of 0 leaves its block out; an operator over nothing is no operator."""
    for number, block in enumerate(contract.programs[group]):
        yield from _impossible(("programs", group, number, "repeat"), block.repeat, symbols, 0)
    for path, operator in each_operator(contract, group):
        for keys, extent in sizes_written(operator):
            least = int(keys[-1] not in MAY_BE_ZERO and keys != ("hbm_bytes",))
            yield from _impossible((*path, *keys), extent, symbols, least)


def _impossible(path: KeyPath, extent: Extent, symbols: Symbols, least: int) -> Iterator[Fault]:
    try:
        parsed(str(extent))
    except ExpressionError:
        return
    try:
        size_of(extent, symbols, least)
    except ExpressionError as error:
        yield Fault(size_impossible, path, str(error))
    except UnknownSymbol:
        return


@rule("OPR-15", "shape-contradicts-itself", "The sizes of a shape fit together.", on=SIZES)
def shape_contradicts(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """Heads come in whole groups, and no more experts run than there are."""
    for path, operator in each_operator(contract, group):
        if isinstance(operator, ShapedOperator) and has_its_keys(operator) and (sizes := known_sizes(operator, symbols)) is not None:
            for key, because in OPERATOR_KINDS[operator.kind].contradictions(sizes):
                yield Fault(shape_contradicts, (*path, "shape", key), because)


@rule("OPR-16", "tiles-uncovered", "A list has one figure for each tile or geometry, so that all of the output is covered.", on=SIZES)
def tiles_uncovered(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """A list that is too short leaves tiles without a figure, one that is too long has figures without a tile."""
    for path, operator in each_operator(contract, group):
        if isinstance(operator, OpaqueOperator):
            continue
        counted = _counted(operator, symbols)
        if counted is None:
            continue
        count, what = counted
        for key, series in _series(operator):
            if len(series) not in (1, count):
                message = f"{len(series)} figures for {count} {what}; give one figure for all of them, or {count}"
                yield Fault(tiles_uncovered, (*path, key), message)


def _counted(operator: ShapedOperator | ExplicitOperator, symbols: Symbols) -> tuple[int, str] | None:
    if isinstance(operator, ShapedOperator):
        return max(len(operator.tile), 1), "geometries"
    tiles = known_size(operator.tiles, symbols)
    return None if tiles is None else (tiles, "tiles")


def _series(operator: ShapedOperator | ExplicitOperator) -> Iterator[tuple[str, tuple[int, ...]]]:
    keys = ("compute_ps", "staging_bytes")
    stated = ("weight_bytes", "activation_bytes", "output_bytes") if isinstance(operator, ExplicitOperator) else ()
    for key in (*keys, *stated):
        series: tuple[int, ...] | None = getattr(operator, key)
        if series is not None:
            yield "compute_us" if key == "compute_ps" else key, series


@rule("OPR-17", "grids-unequal", "Operators whose tiles pair off have equal grids.", on=SIZES)
def grids_unequal(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """Tile by tile means the same number of tiles on each axis."""
    placed = list(operators_of(contract, group))
    by_name = {operator.name: operator for _, operator in placed}
    for path, operator in placed:
        for index, dependency in enumerate(operator.after):
            producer = by_name.get(dependency.operator)
            if dependency.pattern != "same" or producer is None:
                continue
            own, other = known_grids(operator, symbols), known_grids(producer, symbols)
            if own and other and not any(mine.counts == theirs.counts for mine, theirs in _pairs(operator, producer, own, other)):
                message = (
                    f"'{operator.name}' has {_grid_text(own[0])} tiles, '{producer.name}' {_grid_text(other[0])}; "
                    "give both the same tiles, or wait by rows, columns or all"
                )
                yield Fault(grids_unequal, (*path, "after", index, "pattern"), message)


def _pairs(operator: AnyOperator, producer: AnyOperator, own: tuple[Grid, ...], other: tuple[Grid, ...]) -> list[tuple[Grid, Grid]]:
    """Return the grids that can stand together: those of a shared geometry where there is one, else any two."""
    mine, theirs = (list(entry.tile) if isinstance(entry, ShapedOperator) else [] for entry in (operator, producer))
    shared = [(own[mine.index(geometry)], other[theirs.index(geometry)]) for geometry in mine if geometry in theirs]
    return shared or [(first, second) for first in own for second in other]


def _grid_text(grid: Grid) -> str:
    return " x ".join(f"{count:,}" for count in grid.counts if count > 1) or "1"


@rule(
    "OPR-18",
    "too-many-tiles",
    f"A program expands to at most {MOST_TILES:,} tiles and executes at most {MOST_EXECUTED_TILES:,}.",
    on=SIZES,
)
def too_many_tiles(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """The largest repeating block is made once and folded; all other repeats are made tile by tile."""
    program = contract.programs[group]
    tiles, repeats = [], []
    for block in program:
        grids = [known_grids(operator, symbols) for operator in block.operators]
        times = known_size(block.repeat, symbols, 0)
        if times is None or not all(grids):
            return
        tiles.append(sum(min(grid.tile_count for grid in choices) for choices in grids))
        repeats.append(times)
    made, executed = tiles_made(tiles, repeats, widest_body(tiles, repeats)), tiles_executed(tiles, repeats)
    terms = " + ".join(f"{times:,} x {each:,}" for times, each in zip(repeats, tiles, strict=True))
    for verb, count, limit in (("expands to", made, MOST_TILES), ("executes", executed, MOST_EXECUTED_TILES)):
        if count > limit:
            message = (
                f"program '{group}' {verb} {count:,} tiles ({terms}) > {limit:,}; declare larger tiles, smaller shapes or fewer repeats"
            )
            yield Fault(too_many_tiles, ("programs", group), message, at_key=True)
            return


@rule("OPR-25", "nothing-runs", "At least one block of a program runs.", on=SIZES)
def nothing_runs(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """A program without tiles takes no time and moves nothing: no call does that."""
    repeats = [known_size(block.repeat, symbols, 0) for block in contract.programs[group]]
    if not any(times != 0 for times in repeats):
        message = f"no block of program '{group}' runs: all repeat 0 times; repeat at least one block, or remove the program"
        yield Fault(nothing_runs, ("programs", group), message, at_key=True)
