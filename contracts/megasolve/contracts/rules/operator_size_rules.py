"""Rules for the sizes of operators: whatever follows from a shape once its symbols have values.

A contract alone is checked as far as its sizes are plain numbers; reached from a spec, at every planned batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._fault import Fault
from .._wording import KeyPath
from ..contract import Contract
from ..device import Device
from ..documents import Document
from ..findings import Rule, RuleKind
from ..operator_consistency import contradictions
from ..operator_keys import MAY_BE_ZERO, OPERATOR_KEYS
from ..operator_sizes import (
    MOST_EXECUTED_TILES,
    MOST_TILES,
    AnyOperator,
    grids_of,
    shape_sizes,
    size_of,
    tiles_executed,
    tiles_made,
    widest_body,
    work_of,
)
from ..operator_space import entry_registers, worker_space_bytes
from ..operator_symbols import symbol_values
from ..operator_work import Grid, staged_bytes
from ..operators import ExplicitOperator, OpaqueOperator, ShapedOperator
from ..study import Study
from ..symbols import ExpressionError, Extent, UnknownSymbol, parsed
from .operator_paths import operators_of, sizes_written
from .wording import listed

SIZE_IMPOSSIBLE = Rule("OPR-14", "size-impossible", "Sizes are at least 1, repeats and bytes at least 0, and nothing is divided by 0.")
SHAPE_CONTRADICTS = Rule("OPR-15", "shape-contradicts-itself", "The sizes of a shape fit together.")
TILES_UNCOVERED = Rule(
    "OPR-16", "tiles-uncovered", "A list has one figure for each tile or geometry, so that all of the output is covered."
)
GRIDS_UNEQUAL = Rule("OPR-17", "grids-unequal", "Operators whose tiles pair off have equal grids.")
TOO_MANY_TILES = Rule(
    "OPR-18", "too-many-tiles", f"A program expands to at most {MOST_TILES:,} tiles and executes at most {MOST_EXECUTED_TILES:,}."
)
STAGING_EXCEEDS = Rule("OPR-19", "staging-exceeds-worker", "What a tile stages fits in the space of one worker.", RuleKind.LIMIT)
TIME_AT_LIMIT = Rule("OPR-20", "no-time-at-limit", "Times by register limit include that of the entry.", RuleKind.LIMIT)

RULES = (SIZE_IMPOSSIBLE, SHAPE_CONTRADICTS, TILES_UNCOVERED, GRIDS_UNEQUAL, TOO_MANY_TILES, STAGING_EXCEEDS, TIME_AT_LIMIT)

Symbols = Mapping[str, int]
SizeCheck = Callable[[Contract, str, Symbols], Iterator[Fault]]


def size_impossible(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """A repeat of 0 leaves its block out; an operator over nothing is no operator."""
    for number, block in enumerate(contract.programs[group]):
        yield from _impossible(("programs", group, number, "repeat"), block.repeat, symbols, 0)
    for path, operator in operators_of(contract, group):
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
        yield Fault(SIZE_IMPOSSIBLE, path, str(error))
    except UnknownSymbol:
        return


def shape_contradicts(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """Heads come in whole groups, and no more experts run than there are."""
    for path, operator in operators_of(contract, group):
        if isinstance(operator, ShapedOperator) and _has_its_keys(operator) and (sizes := _sizes(operator, symbols)) is not None:
            for key, because in contradictions(operator.kind, sizes):
                yield Fault(SHAPE_CONTRADICTS, (*path, "shape", key), because)


def tiles_uncovered(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """A list that is too short leaves tiles without a figure, one that is too long has figures without a tile."""
    for path, operator in operators_of(contract, group):
        if isinstance(operator, OpaqueOperator):
            continue
        counted = _counted(operator, symbols)
        if counted is None:
            continue
        count, what = counted
        for key, series in _series(operator):
            if len(series) not in (1, count):
                message = f"{len(series)} figures for {count} {what}; give one figure for all of them, or {count}"
                yield Fault(TILES_UNCOVERED, (*path, key), message)


def _counted(operator: ShapedOperator | ExplicitOperator, symbols: Symbols) -> tuple[int, str] | None:
    if isinstance(operator, ShapedOperator):
        return max(len(operator.tile), 1), "geometries"
    try:
        return size_of(operator.tiles, symbols), "tiles"
    except (ExpressionError, UnknownSymbol):
        return None


def _series(operator: ShapedOperator | ExplicitOperator) -> Iterator[tuple[str, tuple[int, ...]]]:
    keys = ("compute_ps", "staging_bytes")
    stated = ("weight_bytes", "activation_bytes", "output_bytes") if isinstance(operator, ExplicitOperator) else ()
    for key in (*keys, *stated):
        series: tuple[int, ...] | None = getattr(operator, key)
        if series is not None:
            yield "compute_us" if key == "compute_ps" else key, series


def grids_unequal(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """Tile by tile means the same number of tiles on each axis."""
    placed = list(operators_of(contract, group))
    by_name = {operator.name: operator for _, operator in placed}
    for path, operator in placed:
        for index, dependency in enumerate(operator.after):
            producer = by_name.get(dependency.operator)
            if dependency.pattern != "same" or producer is None:
                continue
            own, other = _grids(operator, symbols), _grids(producer, symbols)
            if own and other and not any(mine.counts == theirs.counts for mine, theirs in _pairs(operator, producer, own, other)):
                message = (
                    f"'{operator.name}' has {_grid_text(own[0])} tiles, '{producer.name}' {_grid_text(other[0])}; "
                    "give both the same tiles, or wait by rows, columns or all"
                )
                yield Fault(GRIDS_UNEQUAL, (*path, "after", index, "pattern"), message)


def _pairs(operator: AnyOperator, producer: AnyOperator, own: tuple[Grid, ...], other: tuple[Grid, ...]) -> list[tuple[Grid, Grid]]:
    """Return the grids that can stand together: those of a shared geometry where there is one, else any two."""
    mine, theirs = (list(entry.tile) if isinstance(entry, ShapedOperator) else [] for entry in (operator, producer))
    shared = [(own[mine.index(geometry)], other[theirs.index(geometry)]) for geometry in mine if geometry in theirs]
    return shared or [(first, second) for first in own for second in other]


def _grid_text(grid: Grid) -> str:
    return " x ".join(f"{count:,}" for count in grid.counts if count > 1) or "1"


def too_many_tiles(contract: Contract, group: str, symbols: Symbols) -> Iterator[Fault]:
    """The largest repeating block is made once and folded; all other repeats are made tile by tile."""
    program = contract.programs[group]
    tiles, repeats = [], []
    for block in program:
        grids = [_grids(operator, symbols) for operator in block.operators]
        times = _repeats(block.repeat, symbols)
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
            yield Fault(TOO_MANY_TILES, ("programs", group), message, at_key=True)
            return


def staging_exceeds(contract: Contract, device: Device, group: str, symbols: Symbols) -> Iterator[Fault]:
    """A tile that fits nowhere never starts. The space is the shared memory of the launch, or what a CTA can have."""
    space = worker_space_bytes(contract, device)
    whose = f"shared_bytes {space:,}" if contract.launch.shared_bytes else f"{space:,} B per CTA on {device.name}"
    for path, operator in operators_of(contract, group):
        for keys, held in _held(operator, symbols):
            if held > space:
                message = (
                    f"a tile of '{operator.name}' stages {held:,} B > {whose}; use a smaller tile, or state staging_bytes of its stages"
                )
                yield Fault(STAGING_EXCEEDS, (*path, *keys), message)


def _held(operator: AnyOperator, symbols: Symbols) -> Iterator[tuple[KeyPath, int]]:
    """Yield what a tile of *operator* holds under each geometry, with the keys that decide it."""
    if isinstance(operator, OpaqueOperator):
        return
    if operator.staging_bytes is not None:
        yield from (
            (("staging_bytes", index) if len(operator.staging_bytes) > 1 else ("staging_bytes",), held)
            for index, held in enumerate(operator.staging_bytes)
        )
    elif isinstance(operator, ExplicitOperator):
        yield ("tiles",), max(_sums(operator))
    else:
        for index, grid in enumerate(_grids(operator, symbols)):
            yield ("tile", index) if operator.tile else ("shape",), staged_bytes(work_of(operator, symbols), grid)


def _sums(operator: ExplicitOperator) -> list[int]:
    parts = (operator.weight_bytes, operator.activation_bytes, operator.output_bytes)
    longest = max(map(len, parts))
    return [sum(series[min(tile, len(series) - 1)] for series in parts) for tile in range(longest)]


def no_time_at_limit(contract: Contract, device: Device) -> Iterator[Fault]:
    """Only a time at the entry's own register limit counts: another build spills less, or more."""
    limit = entry_registers(contract, device)
    for group in contract.programs:
        for path, operator in operators_of(contract, group):
            if isinstance(operator, OpaqueOperator) or not operator.compute_at or limit is None:
                continue
            known = [time.registers for time in operator.compute_at]
            if limit not in known:
                message = (
                    f"times at {listed(known)} registers, but the limit of this entry on {device.name} is {limit}; add the time at {limit}"
                )
                yield Fault(TIME_AT_LIMIT, (*path, "compute_at"), message)


def _has_its_keys(operator: ShapedOperator) -> bool:
    kind = OPERATOR_KEYS[operator.kind]
    return set(kind.required) <= set(operator.shape) <= set(kind.known)


def _sizes(operator: ShapedOperator, symbols: Symbols) -> dict[str, int] | None:
    try:
        return shape_sizes(operator, symbols)
    except (ExpressionError, UnknownSymbol):
        return None


def _grids(operator: AnyOperator, symbols: Symbols) -> tuple[Grid, ...]:
    """Return the grids of *operator*; none where its sizes are not known, or faulty under another rule."""
    if isinstance(operator, ShapedOperator):
        sizes = _sizes(operator, symbols) if _has_its_keys(operator) else None
        if sizes is None or any(contradictions(operator.kind, sizes)):
            return ()
    try:
        return grids_of(operator, symbols)
    except (ExpressionError, UnknownSymbol):
        return ()


def _repeats(extent: Extent, symbols: Symbols) -> int | None:
    try:
        return size_of(extent, symbols, 0)
    except (ExpressionError, UnknownSymbol):
        return None


SIZE_CHECKS: tuple[SizeCheck, ...] = (size_impossible, shape_contradicts, tiles_uncovered, grids_unequal, too_many_tiles)


def sizes_alone(contract: Contract) -> Iterator[Fault]:
    """Check the sizes that need no spec."""
    for group in contract.programs:
        for check in SIZE_CHECKS:
            yield from check(contract, group, {})


def staging_alone(contract: Contract, device: Device) -> Iterator[Fault]:
    """Check the staging of tiles whose sizes need no spec."""
    for group in contract.programs:
        yield from staging_exceeds(contract, device, group, {})


def sizes_planned(study: Study) -> Iterator[tuple[Document[Any], Fault]]:
    """Check the sizes of every operator at each planned batch; the first batch that breaks a rule at a place reports it."""
    for contract in study.contracts:
        for fault in _planned(study, contract.value):
            yield contract, fault


def _planned(study: Study, contract: Contract) -> Iterator[Fault]:
    spec = study.spec.value
    alone = {(fault.rule, fault.path) for fault in (*sizes_alone(contract), *staging_alone(contract, study.device.value))}
    for group in contract.programs:
        for batch in spec.batches:
            symbols = symbol_values(spec, group, batch)
            checked = (fault for check in SIZE_CHECKS for fault in check(contract, group, symbols))
            for fault in (*checked, *staging_exceeds(contract, study.device.value, group, symbols)):
                if (fault.rule, fault.path) not in alone:
                    alone.add((fault.rule, fault.path))
                    yield Fault(fault.rule, fault.path, f"at batch {batch}: {fault.message}", fault.at_key)


CONTRACT_CHECKS = (sizes_alone,)
CONTRACT_ON_DEVICE_CHECKS = (staging_alone, no_time_at_limit)
STUDY_CHECKS = (sizes_planned,)
