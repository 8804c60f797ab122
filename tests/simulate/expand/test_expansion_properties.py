"""Laws of expansion on random operators and programs: nothing is lost, and folding a block changes no schedule."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from megasolve.contracts.model.contract import Contract
from megasolve.contracts.model.programs.operators import ShapedOperator
from megasolve.contracts.operators.kinds import OPERATOR_KINDS
from megasolve.contracts.operators.work import Axis, TensorRole
from megasolve.simulate.expand.charges import charges_of
from megasolve.simulate.expand.columns import flat
from megasolve.simulate.expand.counters import body_of, counters_of
from megasolve.simulate.expand.expansion import _classes, _plan
from megasolve.simulate.expand.geometry import SizedOperator, sized
from megasolve.simulate.expand.l2 import KeptInL2
from megasolve.simulate.expand.regions import arrivals, awaited
from megasolve.simulate.expand.sections import PlanParts, sections_of
from megasolve.simulate.expand.setup import Conditions, Mechanisms
from megasolve.simulate.expand.tiles import FoundInputs, tile_costs
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.scheduler import schedule_tiles
from tests.support.planning.operators import RATES

CONDITIONS = Conditions({"batch": 1}, RATES, Mechanisms())
SMALL = st.integers(1, 7)
KINDS = st.sampled_from(sorted(OPERATOR_KINDS))


@st.composite
def shaped_operators(draw: DrawFn, kinds: SearchStrategy[str] = KINDS) -> ShapedOperator:
    """Draw an operator of any kind with a sound shape and one geometry, which may be larger than the operator."""
    kind = OPERATOR_KINDS[name := draw(kinds)]
    shape = {key: draw(SMALL) for key in kind.required}
    shape |= (
        {key: draw(SMALL) for key in draw(st.sets(st.sampled_from(sorted(kind.optional)))) if key != "matrices"} if kind.optional else {}
    )
    for key, multiple in (("q_heads", "kv_heads"), ("kv_tokens", "q_tokens"), ("c_in", "groups"), ("c_out", "groups"), ("heads", "groups")):
        if key in shape and multiple in shape:
            shape[key] *= shape[multiple]
    if name == "moe":
        shape["top_k"] = min(shape["top_k"], shape["experts"])
        shape["distinct"] = min(shape["distinct"], shape["experts"], shape["tokens"] * shape["top_k"])
    assert not list(kind.contradictions(shape))
    fields: dict[str, Any] = {
        "tile": ({key: draw(SMALL) for key in draw(st.sets(st.sampled_from(kind.tile)))},),
        "element_bytes": draw(st.integers(0, 3)),
        "bias": draw(st.booleans()),
        "reread": draw(st.sampled_from(((), ("weights",), ("activations",), ("weights", "activations")))),
    }
    return ShapedOperator.model_validate({"name": "op", "kind": name, "shape": shape, **fields})


class TileCost(NamedTuple):
    """What one tile takes."""

    compute_ps: int
    weight_bytes: int
    activation_bytes: int
    output_bytes: int
    staging_bytes: int
    input_bytes: int


def costs_of(found: SizedOperator, reloaded_bytes: int = 0) -> list[TileCost]:
    """Return what each tile of an operator takes."""
    costs = tile_costs(found, CONDITIONS, FoundInputs(reloaded_bytes))
    return [
        TileCost(*line)
        for line in zip(*(flat(column, found.grid.counts).tolist() for column in (*costs.columns[:5], costs.input_bytes)), strict=True)
    ]


def cut(operator: ShapedOperator, **fields: Any) -> tuple[SizedOperator, list[TileCost]]:
    """Return *operator* with *fields* changed, sized, and the costs of its tiles."""
    found = sized(operator.model_copy(update=fields), CONDITIONS, {})
    return found, costs_of(found)


@given(shaped_operators())
def test_every_tensor_passes_the_queue_once_and_whole(operator: ShapedOperator) -> None:
    found, costs = cut(operator, reread=())
    assert sum(cost.weight_bytes for cost in costs) == found.work.weight_bytes
    assert sum(cost.activation_bytes for cost in costs) == found.work.bytes_of(TensorRole.ACTIVATIONS, TensorRole.STATE)
    assert sum(cost.output_bytes for cost in costs) == found.work.bytes_of(TensorRole.OUTPUT, TensorRole.CARRIED)


@given(shaped_operators())
def test_the_tiles_cover_the_output_exactly_once(operator: ShapedOperator) -> None:
    found, costs = cut(operator)
    grid = found.grid
    places = [grid.place(tile) for tile in range(grid.tile_count)]
    areas = [prod(last - first for first, last in (grid.span(axis, place[axis.value]) for axis in Axis)) for place in places]
    assert len(costs) == len(set(places))
    assert sum(areas) == prod(grid.extents)


@given(shaped_operators())
def test_the_compute_of_the_tiles_is_that_of_the_whole_but_for_rounding_up(operator: ShapedOperator) -> None:
    found, costs = cut(operator)
    computed = sum(cost.compute_ps for cost in costs)
    assert found.work.flops <= computed <= found.work.flops + len(costs)


@given(shaped_operators())
def test_rereading_never_loads_less_than_sharing(operator: ShapedOperator) -> None:
    _, shared = cut(operator, reread=())
    _, reread = cut(operator, reread=("weights", "activations"))
    assert all(more.weight_bytes >= less.weight_bytes for more, less in zip(reread, shared, strict=True))
    assert all(more.activation_bytes >= less.activation_bytes for more, less in zip(reread, shared, strict=True))


@given(shaped_operators())
def test_a_tile_holds_at_least_all_that_it_moves(operator: ShapedOperator) -> None:
    _, costs = cut(operator, reread=("weights", "activations"))
    assert all(cost.staging_bytes >= cost.weight_bytes + cost.activation_bytes + cost.output_bytes for cost in costs)


@given(shaped_operators(), st.integers(0, 2000))
def test_forwarding_saves_exactly_the_forwarded_inputs(operator: ShapedOperator, kept: int) -> None:
    found, stored = cut(operator, reread=())
    on_chip = costs_of(found, kept)
    saved = sum(cost.activation_bytes for cost in stored) - sum(cost.activation_bytes for cost in on_chip)
    assert saved == min(kept, found.work.activation_bytes)
    assert all(less.activation_bytes <= more.activation_bytes for less, more in zip(on_chip, stored, strict=True))
    assert all(less.activation_bytes >= more.activation_bytes - more.input_bytes for less, more in zip(on_chip, stored, strict=True))


@given(shaped_operators(), shaped_operators(), st.sampled_from(("all", "rows", "columns")))
def test_a_tile_waits_for_some_tiles_and_together_the_tiles_wait_for_all(
    consumer: ShapedOperator, producer: ShapedOperator, pattern: Any
) -> None:
    waiting, awaited_one = cut(consumer)[0], cut(producer)[0]
    found = awaited(waiting, awaited_one, pattern)
    assert set(flat(found.region_of, waiting.grid.counts).tolist()) == set(range(len(found.regions)))
    sets, set_of = arrivals(found.regions)
    arriving = [sets[number] for number in flat(set_of, awaited_one.grid.counts).tolist()]
    assert all(arriving)
    counts = Counter(region for regions in arriving for region in regions)
    assert [counts[region] for region in range(len(found.regions))] == found.regions.tile_counts.tolist()


@given(shaped_operators(), shaped_operators(), st.sampled_from(("all", "rows", "columns")))
def test_a_tile_arrives_at_the_regions_that_cover_it(consumer: ShapedOperator, producer: ShapedOperator, pattern: Any) -> None:
    regions = awaited(cut(consumer)[0], cut(producer)[0], pattern).regions
    sets, set_of = arrivals(regions)
    for tile, number in enumerate(flat(set_of, regions.grid.counts).tolist()):
        place = np.array(regions.grid.place(tile))
        inside = (regions.bounds[:, :3] <= place).all(axis=1) & (place < regions.bounds[:, 3:6]).all(axis=1)
        assert sets[number] == np.flatnonzero(inside).tolist()


@st.composite
def programs(draw: DrawFn) -> Contract:
    """Draw a program of a few blocks with dependencies of every kind, some of them opaque or forwarded."""
    blocks: list[dict[str, Any]] = []
    earlier: list[str] = []
    for number in range(draw(st.integers(1, 3))):
        names = [f"o{number}{index}" for index in range(draw(st.integers(1, 3)))]
        operators = []
        for index, name in enumerate(names):
            after: list[dict[str, Any]] = (
                [
                    {"operator": other, "pattern": draw(st.sampled_from(("all", "rows", "columns")))}
                    for other in draw(st.lists(st.sampled_from([*earlier, *names[:index]]), unique=True, max_size=2))
                ]
                if earlier or index
                else []
            )
            after += [
                {"operator": other, "pattern": draw(st.sampled_from(("all", "rows"))), "previous": True}
                for other in draw(st.lists(st.sampled_from(names), unique=True, max_size=2))
            ]
            operators.append(_stated(draw, name, tuple(after)))
        earlier += names
        blocks.append({"repeat": draw(st.integers(0, 5)), "operators": tuple(operators)})
    fields: dict[str, Any] = {"megasolve": "contract/v1", "entry": "e", "backend": "megakernel", "members": ("B",), "budgets_ctas": (4,)}
    launch: dict[str, Any] = {"launch": {"threads": 256, "registers": 128}, "dispatch": {"kind": "stream", "host_waits": False}}
    synchronization = {"synchronization": {"kind": "counters", "cost_us": draw(st.integers(0, 2))}}
    return Contract.model_validate({**fields, **launch, **synchronization, "programs": {"B": tuple(blocks)}})


def _stated(draw: DrawFn, name: str, after: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    if draw(st.integers(0, 9)) == 0:
        opaque: dict[str, Any] = {"grid_ctas": 4, "duration_us": draw(SMALL), "hbm_bytes": draw(SMALL), "resident_ctas": 4}
        return {"name": name, "kind": "opaque", "after": after, **opaque}
    tiles = draw(st.integers(1, 3))
    figures = {key: draw(st.integers(0, 4)) for key in ("weight_bytes", "activation_bytes", "output_bytes")}
    compute = tuple(draw(st.integers(0, 5)) for _ in range(tiles))
    forwarded = draw(st.booleans())
    return {"name": name, "kind": "explicit", "tiles": tiles, "compute_us": compute, "after": after, "forwarded": forwarded, **figures}


def sections(contract: Contract, mechanisms: Mechanisms, body: int | None) -> TileProgram:
    """Return the program of B with block *body* as its body."""
    conditions = Conditions({"batch": 1}, RATES, mechanisms)
    plan = _plan(contract.programs["B"], conditions, {})
    charges = charges_of(contract, mechanisms)
    counters = counters_of(plan, 1000, charges)
    classes = tuple(_classes(KeptInL2(plan), number, conditions, counters, charges) for number in range(len(plan.operators)))
    return sections_of(PlanParts(plan, classes, counters), body)


def body_of_program(contract: Contract, mechanisms: Mechanisms) -> int | None:
    return body_of(_plan(contract.programs["B"], Conditions({"batch": 1}, RATES, mechanisms), {}))


@given(programs(), st.integers(1, 3), st.booleans(), st.booleans())
@settings(max_examples=75)
def test_a_folded_block_has_the_schedule_of_its_repeats(contract: Contract, workers: int, readiness: bool, prefetch: bool) -> None:
    mechanisms = Mechanisms(readiness=readiness)
    machine = TileMachine(workers, 10**6, prefetch=prefetch)
    unrolled = schedule_tiles(sections(contract, mechanisms, None), machine, fold=False)
    folded = schedule_tiles(sections(contract, mechanisms, body_of_program(contract, mechanisms)), machine, fold=False)
    assert type(folded) is type(unrolled)
    assert folded.makespan_ps == unrolled.makespan_ps  # type: ignore[union-attr]


@given(programs(), st.booleans())
def test_every_counter_is_reached_by_exactly_its_target(contract: Contract, readiness: bool) -> None:
    mechanisms = Mechanisms(readiness=readiness)
    program = sections(contract, mechanisms, body_of_program(contract, mechanisms))
    for section in (program.prologue, program.body, program.epilogue):
        assert dict(section.counters) == _arrivals(section)
        assert {name for tile in section.tiles for name in tile.waits} <= dict(section.counters).keys()


def _arrivals(section: TileSection) -> dict[str, int]:
    arrivals = {name: 0 for name, _ in section.counters}
    for tile in section.tiles:
        for name in tile.signals:
            arrivals[name] += 1
    return arrivals


@given(programs())
def test_an_expanded_program_always_ends(contract: Contract) -> None:
    program = sections(contract, Mechanisms(), body_of_program(contract, Mechanisms()))
    assert hasattr(schedule_tiles(program, TileMachine(2, 10**6, prefetch=True)), "makespan_ps")
