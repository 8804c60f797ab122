"""Expansion of programs: blocks that repeat, limits, geometries and mechanisms, one law each."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import pytest

from megasolve.contracts.model.programs.symbols import UnknownSymbol
from megasolve.simulate.expand.edges import OperatorEdge, Plan, Reach
from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.geometry import choose_geometry
from megasolve.simulate.expand.joins import is_joined
from megasolve.simulate.expand.setup import DeviceRates, ExpansionError, Mechanisms, TooManyTiles, device_rates, supported, tile_machine
from tests.support.planning.launches import conventional, device, launch, megakernel
from tests.support.planning.operators import FIXTURES, RATES, block, contract_at, contract_of, contract_with, expanded, on, stated, tiles_of

NORM = "name: norm, kind: norm, shape: {rows: 4, dim: 8}"

# Blocks.


def test_the_block_that_spares_most_tiles_becomes_the_body_and_its_first_repeat_the_end_of_the_prologue() -> None:
    chain = (stated("a", 1, on("a", previous=True)), stated("b", 5, f"{on('a')}, {on('b', previous=True)}"), stated("c", 1, on("b")))
    contract = contract_with(block(chain[0], repeat=3), block(chain[1], repeat=10), block(chain[2]))
    program = expanded(contract)
    assert [len(section.tiles) for section in (program.prologue, program.body, program.epilogue)] == [3 + 5, 5, 1]
    assert program.repeats == 9
    assert program.tile_count == 3 + 50 + 1


def test_what_operators_wait_for_through_others_takes_no_set_of_each() -> None:
    # As sets, what the operators of a chain wait for are many * many / 2 members of 16 bytes or more. What an operator is matters to none.
    many = 3000
    edges = ((), *((OperatorEdge(number - 1, Reach.HERE if number > 1 else Reach.EARLIER),) for number in range(1, many)))
    chain = Plan((), (range(1), range(1, many)), (1, 2), edges, edges)
    tracemalloc.start()
    try:
        assert not is_joined(chain, 1)
        assert tracemalloc.get_traced_memory()[1] < many * many
    finally:
        tracemalloc.stop()


def test_unrolled_repeats_follow_each_other_by_number() -> None:
    contract = contract_with(
        block(stated("a", 1, on("a", previous=True)), repeat=3), block(stated("b", 9, f"{on('a')}, {on('b', previous=True)}"), repeat=9)
    )
    program = expanded(contract)
    assert [tile.waits for tile in program.prologue.tiles[:4]] == [(), ("a#1",), ("a#2",), ("a#3",)]


def test_repeats_that_wait_for_nothing_of_each_other_are_unrolled() -> None:
    # Every head waits for the norm; a body would let later repeats start before it.
    contract = contract_with(block(NORM), block(stated("head", 1, on("norm")), repeat=4))
    program = expanded(contract)
    assert (program.repeats, len(program.prologue.tiles)) == (0, 5)
    assert {tile.waits for tile in program.prologue.tiles[1:]} == {("norm",)}


def test_a_later_repeat_may_wait_for_an_earlier_block_through_the_repeat_before() -> None:
    layer = (stated("a", 1, on("b", previous=True)), stated("b", 1, f"{on('a')}, {on('norm')}"))
    program = expanded(contract_with(block(NORM), block(*layer, repeat=4)))
    assert program.repeats == 3
    assert [tile.waits_before for tile in program.body.tiles] == [("b",), ("norm",)]


def test_an_epilogue_that_waits_past_the_body_needs_a_way_through_it() -> None:
    layer = stated("a", 1, on("a", previous=True))
    past = contract_with(block(NORM), block(layer, repeat=4), block(stated("last", 1, f"{on('norm')}, {on('a')}")))
    assert expanded(past).repeats == 0
    through = contract_with(
        block(NORM),
        block(stated("a", 1, f"{on('norm')}, {on('a', previous=True)}"), repeat=4),
        block(stated("last", 1, f"{on('norm')}, {on('a')}")),
    )
    assert expanded(through).repeats == 3


def test_a_block_that_never_runs_holds_nothing_up() -> None:
    contract = contract_with(block(stated("a"), repeat=0), block(stated("b", 1, on("a"))))
    program = expanded(contract)
    assert [(tile.operator, tile.waits) for tile in program.prologue.tiles] == [("b", ())]


def test_symbols_give_the_sizes() -> None:
    contract = contract_with(block(stated("a", 1, on("a", previous=True)), repeat="layers"))
    assert expand(contract, "B", {"layers": 7, "batch": 1}, RATES).tile_count == 7
    with pytest.raises(UnknownSymbol):
        expanded(contract)


def test_a_group_without_a_program_is_named() -> None:
    with pytest.raises(ExpansionError, match="entry 'decode' has no program for group 'P'"):
        expand(contract_of(NORM), "P", {}, RATES)


# Limits.


def test_too_many_tiles_are_counted_before_one_is_made() -> None:
    contract = contract_of("name: up, kind: matmul, shape: {m: 100000, n: 100000, k: 1}, tile: [{m: 1, n: 1}]")
    with pytest.raises(TooManyTiles, match="10,000,000,000 tiles > 2,000,000") as error:
        expanded(contract)
    assert error.value.count == 10**10


def test_a_body_counts_twice_and_unrolled_repeats_each() -> None:
    chained = contract_of(stated("a", 10, on("a", previous=True)), repeat=1000)
    assert expand(chained, "B", {}, RATES, most_tiles=20).tile_count == 10_000
    with pytest.raises(TooManyTiles, match="20 tiles > 19"):
        expand(chained, "B", {}, RATES, most_tiles=19)
    # Each head waits for the norm, none for another: they are unrolled.
    alone = contract_with(block(NORM), block(stated("a", 10, on("norm")), repeat=1000))
    with pytest.raises(TooManyTiles, match="10,001 tiles > 10,000"):
        expand(alone, "B", {}, RATES, most_tiles=10_000)


def test_repeats_that_take_for_ever_are_refused() -> None:
    with pytest.raises(TooManyTiles, match="1,000,000,000 executed tiles > 100,000,000"):
        expanded(contract_of(stated("a", 1, on("a", previous=True)), repeat=10**9))


def test_too_many_arrivals_are_refused_too() -> None:
    rope = "name: rope, kind: rotary, shape: {tokens: 400, heads: 1, head_dim: 4}, tile: [{tokens: 1}]"
    attention = (
        "name: attention, kind: attention_prefill, shape: {q_tokens: 400, kv_tokens: 400, q_heads: 1, kv_heads: 1, head_dim: 4}, "
        f"tile: [{{q_tokens: 1}}], after: [{on('rope', 'rows')}]"
    )
    with pytest.raises(TooManyTiles, match=r"arrivals at counters > 16,000"):
        expand(contract_of(rope, attention), "B", {}, RATES, most_tiles=1000)


# Geometries and mechanisms.

TWO = "tile: [{n: 2}, {n: 4}]"


def test_a_region_takes_the_geometry_with_the_least_summed_task_time() -> None:
    up = f"name: up, kind: matmul, shape: {{m: 1, n: 8, k: 4}}, {TWO}, compute_us: [1, 4]"
    down = f"name: down, kind: matmul, shape: {{m: 1, n: 8, k: 4}}, {TWO}, compute_us: [3, 1]"
    contract = contract_of(up, down)
    program = expanded(contract)
    assert [len(tiles_of(program, name)) for name in ("up", "down")] == [2, 2]
    own = expanded(contract, "one_geometry")
    assert [len(tiles_of(own, name)) for name in ("up", "down")] == [4, 2]


def test_repeats_count_in_the_choice_of_a_geometry() -> None:
    up = f"name: up, kind: matmul, shape: {{m: 1, n: 8, k: 4}}, {TWO}, compute_us: [1, 4]"
    down = f"name: down, kind: matmul, shape: {{m: 1, n: 8, k: 4}}, {TWO}, compute_us: [3, 1]"
    contract = contract_with(block(up, repeat=3), block(down))
    assert choose_geometry(contract, {"B": {}}, RATES, Mechanisms()) == {"matmul": {"n": 2}}


def test_a_geometry_that_only_some_operators_have_is_never_shared() -> None:
    up = "name: up, kind: matmul, shape: {m: 1, n: 8, k: 4}, tile: [{n: 2}]"
    down = "name: down, kind: matmul, shape: {m: 1, n: 8, k: 4}, tile: [{n: 8}]"
    contract = contract_of(up, down)
    assert choose_geometry(contract, {"B": {}}, RATES, Mechanisms()) == {}
    assert [len(tiles_of(expanded(contract), name)) for name in ("up", "down")] == [4, 1]


def test_reread_tensors_count_in_the_choice_of_a_geometry() -> None:
    shape = "kind: matmul, shape: {m: 64, n: 64, k: 64}, tile: [{m: 8, n: 8}, {m: 32, n: 32}]"
    assert choose_geometry(contract_of(f"name: up, {shape}"), {"B": {}}, RATES, Mechanisms()) == {"matmul": {"m": 8, "n": 8}}
    reread = contract_of(f"name: up, {shape}, reread: [weights, activations]")
    assert choose_geometry(reread, {"B": {}}, RATES, Mechanisms()) == {"matmul": {"m": 32, "n": 32}}


def test_a_geometry_may_be_chosen_for_all_groups_of_a_region_together() -> None:
    contract = contract_of(f"name: up, kind: matmul, shape: {{m: 1, n: 8, k: 4}}, {TWO}, compute_us: [1, 4]")
    program = expand(contract, "B", {}, RATES, geometry={"matmul": {"n": 4}})
    assert len(tiles_of(program, "up")) == 2


def test_mechanisms_are_switched_off_by_name() -> None:
    assert Mechanisms().without("prefetch", "port") == Mechanisms(prefetch=False, port=False)
    with pytest.raises(ValueError, match="no mechanism 'prefetching'; there are readiness, prefetch"):
        Mechanisms().without("prefetching")


def test_kernels_end_between_operators() -> None:
    left = supported(conventional(), Mechanisms())
    assert left == Mechanisms().without("readiness", "prefetch", "forwarding", "synchronization", "one_geometry", "static_order")


def test_a_grid_barrier_is_a_barrier() -> None:
    contract = megakernel(synchronization={"kind": "grid_barrier"})
    assert supported(contract, Mechanisms()) == Mechanisms(readiness=False)


def test_the_machine_has_the_workers_the_space_and_the_ports_of_the_entry() -> None:
    gpu = device(sm_bytes_per_s=10**11, dense_flops_per_s=132 * 10**12)
    contract = megakernel(launch(shared_bytes=5000, ctas_per_sm=2))
    machine = tile_machine(contract, gpu, 264)
    assert (machine.workers, machine.per_port, machine.staging_bytes, machine.prefetch) == (264, 2, 5000, True)
    assert machine.port_bytes_per_s == 10**11
    off = tile_machine(contract, gpu, 264, Mechanisms().without("port", "prefetch"))
    assert (off.port_bytes_per_s, off.prefetch) == (None, False)
    drawing = contract.model_copy(update={"in_flight_bytes": 1200})
    slow = gpu.model_copy(update={"hbm_latency_ps": 600_000})
    assert device_rates(drawing, slow, 264).worker_bytes_per_s == 2 * 10**9
    assert device_rates(contract, gpu, 264) == DeviceRates(
        264, 3500 * 10**9, Fraction(10**12, 2), 128, space_bytes=5000, sm_flops_per_s=10**12
    )


def test_what_a_cta_has_under_way_counts_where_the_device_states_a_latency() -> None:
    contract = megakernel(launch(shared_bytes=65536), in_flight_bytes=30_000)
    assert tile_machine(contract, device(hbm_latency_us=0.6), 4).in_flight_bytes == 30_000
    assert tile_machine(contract, device(hbm_latency_us=0.6), 4, Mechanisms().without("in_flight")).in_flight_bytes is None
    assert tile_machine(contract, device(), 4).in_flight_bytes is None
    assert tile_machine(megakernel(), device(hbm_latency_us=0.6), 4).in_flight_bytes is None
    assert contract.context == megakernel(launch(shared_bytes=65536)).context


@pytest.mark.parametrize(("group", "counts"), [("B", (1 + 12, 12, 3)), ("P", (1 + 12, 12, 3))])
def test_a_published_llama_folds_its_layers(group: str, counts: tuple[int, int, int]) -> None:
    contract = contract_at(FIXTURES / "operators/llama_1b.yaml")
    program = expand(contract, group, {"tokens": 496, "batch": 1, "layers": 16}, RATES)
    assert tuple(len(section.tiles) for section in (program.prologue, program.body, program.epilogue)) == counts
    assert program.repeats == 15
