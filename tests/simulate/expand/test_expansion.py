"""Expansion of operators into tiles: bytes, times and counters, one law each."""

from __future__ import annotations

import pytest

from megasolve.simulate.expand.setup import DeviceRates, ExpansionError
from megasolve.simulate.tiles.program import TileProgram
from megasolve.simulate.tiles.tile import Tile
from tests.support.planning.operators import HEAD, block, contract_of, contract_with, expanded, on, stated, tiles_of

NORM = "name: norm, kind: norm, shape: {rows: 4, dim: 8}"


def bytes_of(tiles: list[Tile]) -> list[tuple[int, int, int]]:
    return [(tile.weight_bytes, tile.activation_bytes, tile.output_bytes) for tile in tiles]


# Bytes.


def test_weights_that_several_row_tiles_share_pass_the_queue_once() -> None:
    contract = contract_of("name: up, kind: matmul, shape: {m: 3, n: 4, k: 5}, element_bytes: 1, tile: [{m: 1, n: 2}]")
    # A column block has 10 bytes of weights, which 3 row tiles share: the remainder goes to the first. A row has 5 bytes for 2 tiles.
    shares = [(4, 3, 2), (4, 2, 2), (3, 3, 2), (3, 2, 2), (3, 3, 2), (3, 2, 2)]
    assert bytes_of(tiles_of(expanded(contract), "up")) == shares


def test_reread_tensors_are_loaded_whole_by_every_tile_that_needs_them() -> None:
    shape = "shape: {m: 3, n: 4, k: 5}, element_bytes: 1, tile: [{m: 1, n: 2}], reread: [weights, activations]"
    assert bytes_of(tiles_of(expanded(contract_of(f"name: up, kind: matmul, {shape}")), "up")) == [(10, 5, 2)] * 6


def test_a_split_sum_stores_its_output_once() -> None:
    contract = contract_of("name: down, kind: matmul, shape: {m: 1, n: 4, k: 6}, element_bytes: 1, tile: [{n: 4, k: 2}]")
    assert bytes_of(tiles_of(expanded(contract), "down")) == [(8, 2, 2), (8, 2, 1), (8, 2, 1)]


def test_a_partial_tile_moves_and_computes_only_its_part() -> None:
    contract = contract_of("name: up, kind: matmul, shape: {m: 1, n: 5, k: 8}, element_bytes: 1, tile: [{m: 16, n: 4}]")
    whole, partial = tiles_of(expanded(contract), "up")
    assert (whole.weight_bytes, whole.output_bytes, whole.compute_ps) == (32, 4, 64)
    assert (partial.weight_bytes, partial.output_bytes, partial.compute_ps) == (8, 1, 16)


def test_a_tile_holds_its_parts_whichever_tile_loads_them() -> None:
    contract = contract_of("name: up, kind: matmul, shape: {m: 3, n: 4, k: 5}, element_bytes: 1, tile: [{m: 1, n: 2}]")
    assert {tile.staging_bytes for tile in tiles_of(expanded(contract), "up")} == {10 + 5 + 2}


def test_stated_staging_counts_for_its_geometry_but_holds_at_least_the_output() -> None:
    shape = "kind: norm, shape: {rows: 4, dim: 8}, tile: [{rows: 1}, {rows: 2}], compute_us: [5, 1]"
    assert {tile.staging_bytes for tile in tiles_of(expanded(contract_of(f"name: norm, {shape}, staging_bytes: [70, 90]")), "norm")} == {90}
    assert {tile.staging_bytes for tile in tiles_of(expanded(contract_of(f"name: norm, {shape}, staging_bytes: 1")), "norm")} == {32}


def test_a_cache_is_loaded_with_the_activations_and_a_new_entry_stored_with_the_output() -> None:
    shape = "{q_tokens: 1, kv_tokens: 10, q_heads: 4, kv_heads: 2, head_dim: 8}"
    attention = f"name: attention, kind: attention_decode, shape: {shape}, tile: [{{kv_heads: 1}}]"
    append = "name: append, kind: kv_append, shape: {tokens: 1, kv_heads: 2, head_dim: 8}"
    program = expanded(contract_of(append, attention))
    assert bytes_of(tiles_of(program, "attention")) == [(0, 32 + 320, 32)] * 2
    assert bytes_of(tiles_of(program, "append")) == [(0, 64, 64)]


# Forwarding.


def forwarding(consumer: str, *off: str) -> tuple[list[Tile], list[Tile]]:
    program = expanded(contract_of(f"{NORM}, forwarded: true", consumer), *off)
    return tiles_of(program, "norm"), tiles_of(program, "next")


def test_a_forwarded_tensor_is_neither_stored_nor_loaded_again() -> None:
    producer, consumer = forwarding("name: next, kind: norm, shape: {rows: 4, dim: 8}, after: [{operator: norm}]")
    assert (producer[0].output_bytes, consumer[0].activation_bytes, consumer[0].output_bytes) == (0, 0, 64)


def test_a_forwarded_tensor_saves_only_itself() -> None:
    _, consumer = forwarding(
        "name: next, kind: elementwise, shape: {rows: 4, dim: 8, inputs: 2}, tile: [{rows: 1}], after: [{operator: norm}]"
    )
    assert [tile.activation_bytes for tile in consumer] == [16, 16, 16, 16]


def test_forwarding_changes_no_staging() -> None:
    consumer = "name: next, kind: norm, shape: {rows: 4, dim: 8}, after: [{operator: norm}]"
    on_chip, stored = forwarding(consumer), forwarding(consumer, "forwarding")
    assert [tile.staging_bytes for tiles in on_chip for tile in tiles] == [tile.staging_bytes for tiles in stored for tile in tiles]
    assert (stored[0][0].output_bytes, stored[1][0].activation_bytes) == (64, 64)


def test_a_cache_is_never_forwarded() -> None:
    append = "name: next, kind: kv_append, shape: {tokens: 4, kv_heads: 1, head_dim: 4}, forwarded: true, after: [{operator: norm}]"
    _, (tile,) = forwarding(append)
    assert (tile.activation_bytes, tile.output_bytes) == (0, 64)


def test_the_first_repeat_loads_what_later_ones_find_on_chip() -> None:
    first = "name: embed, kind: embedding, shape: {tokens: 4, dim: 8}"
    layer = f"{NORM}, forwarded: true, after: [{on('embed')}, {on('norm', previous=True)}]"
    program = expanded(contract_with(block(first), block(layer, repeat=5)))
    assert [tile.activation_bytes for tile in program.prologue.tiles] == [64, 64]
    assert [tile.activation_bytes for tile in program.body.tiles] == [0]
    assert program.repeats == 4


# Times.


def test_a_tile_takes_its_flops_at_the_efficiency_of_its_operator() -> None:
    shape = "kind: matmul, shape: {m: 1, n: 4, k: 3}"
    fast, slow = (tiles_of(expanded(contract_of(f"name: up, {shape}{rest}")), "up")[0] for rest in ("", ", efficiency: 0.3"))
    assert (fast.compute_ps, slow.compute_ps) == (24, 80)


def test_causal_attention_computes_only_the_scores_that_it_needs() -> None:
    shape = "{q_tokens: 4, kv_tokens: 4, q_heads: 1, kv_heads: 1, head_dim: 5}"
    program = expanded(contract_of(f"name: attention, kind: attention_prefill, shape: {shape}, tile: [{{q_tokens: 1}}]"))
    assert [tile.compute_ps for tile in tiles_of(program, "attention")] == [25, 50, 75, 100]


def test_work_without_flops_needs_no_rate() -> None:
    rates = DeviceRates(workers=1, bandwidth_bytes_per_s=10**12)
    assert expanded(contract_of("name: embed, kind: embedding, shape: {tokens: 4, dim: 8}"), rates=rates).tile_count == 1
    with pytest.raises(ExpansionError, match="operator 'norm' has no compute_us, and the device no dense_flops_per_s"):
        expanded(contract_of(NORM), rates=rates)


def test_a_time_at_another_register_limit_does_not_count() -> None:
    contract = contract_of(
        "name: a, kind: explicit, tiles: 1, compute_at: [{registers: 128, compute_us: 12}, {registers: 200, compute_us: 10}]"
    )
    with pytest.raises(ExpansionError, match="has times at 128, 200 registers, but the entry's limit is 255 registers"):
        expanded(contract)
    assert tiles_of(expanded(contract, "register_limit"), "a")[0].compute_ps == 10_000_000


@pytest.mark.parametrize(("workers", "compute_ps"), [(132, 20_000), (88, 40_000), (44, 60_000)])
def test_an_opaque_operator_slows_by_whole_waves_of_its_compute_part(workers: int, compute_ps: int) -> None:
    contract = contract_of("name: fft, kind: opaque, grid_ctas: 132, duration_us: 0.03, hbm_bytes: 10000, resident_ctas: 132")
    (tile,) = tiles_of(expanded(contract, rates=DeviceRates(workers, 10**12)), "fft")
    assert (tile.compute_ps, tile.activation_bytes, tile.is_opaque) == (compute_ps, 10000, True)


def test_an_opaque_operator_that_is_all_memory_computes_nothing() -> None:
    contract = contract_of("name: fft, kind: opaque, grid_ctas: 500, duration_us: 0.005, hbm_bytes: 10000, resident_ctas: 132")
    assert tiles_of(expanded(contract), "fft")[0].compute_ps == 0


# Counters.


def waits(program: TileProgram, operator: str) -> list[tuple[str, ...]]:
    return [tile.waits for tile in tiles_of(program, operator)]


def test_waiting_for_all_is_one_counter() -> None:
    program = expanded(contract_of(stated("a", 3), stated("b", 2, on("a"))))
    assert program.prologue.counters == (("a", 3),)
    assert waits(program, "b") == [("a",), ("a",)]
    assert {tile.signals for tile in tiles_of(program, "a")} == {("a",)}


def test_equal_grids_pair_off() -> None:
    program = expanded(contract_of(stated("a", 3), stated("b", 3, on("a", "same"))))
    assert program.prologue.counters == (("a[r0]", 1), ("a[r1]", 1), ("a[r2]", 1))
    assert waits(program, "b") == [("a[r0]",), ("a[r1]",), ("a[r2]",)]


def test_unequal_grids_do_not_pair_off() -> None:
    with pytest.raises(ExpansionError, match="'b' waits for the same tile of 'a', but has 2x1x1 tiles and the other 3x1x1"):
        expanded(contract_of(stated("a", 3), stated("b", 2, on("a", "same"))))


def test_rows_wait_for_the_rows_that_they_overlap() -> None:
    up = "name: up, kind: matmul, shape: {m: 6, n: 4, k: 5}, tile: [{m: 2, n: 2}]"
    norm = f"name: norm, kind: norm, shape: {{rows: 6, dim: 4}}, tile: [{{rows: 3}}], after: [{on('up', 'rows')}]"
    program = expanded(contract_of(up, norm))
    assert program.prologue.counters == (("up[r0-1]", 4), ("up[r1-2]", 4))
    assert waits(program, "norm") == [("up[r0-1]",), ("up[r1-2]",)]
    assert [tile.signals for tile in tiles_of(program, "up")][2:4] == [("up[r0-1]", "up[r1-2]")] * 2


def test_columns_stretch_over_operators_of_another_width() -> None:
    keys = "name: k, kind: matmul, shape: {m: 1, n: 16, k: 4}, tile: [{n: 4}]"
    attention = (
        "name: attention, kind: attention_decode, shape: {q_tokens: 1, kv_tokens: 4, q_heads: 4, kv_heads: 2, head_dim: 8}, "
        f"tile: [{{kv_heads: 1}}], after: [{on('k', 'columns')}]"
    )
    program = expanded(contract_of(keys, attention))
    assert waits(program, "attention") == [("k[c0-1]",), ("k[c2-3]",)]


def test_a_slice_of_a_sum_waits_for_the_columns_that_it_sums_over() -> None:
    up = "name: up, kind: matmul, shape: {m: 1, n: 8, k: 4}, tile: [{n: 2}]"
    down = f"name: down, kind: matmul, shape: {{m: 1, n: 4, k: 8}}, tile: [{{n: 4, k: 4}}], after: [{on('up', 'columns')}]"
    program = expanded(contract_of(up, down))
    assert program.prologue.counters == (("up[c0-1]", 2), ("up[c2-3]", 2))
    assert waits(program, "down") == [("up[c0-1]",), ("up[c2-3]",)]


def test_a_whole_sum_waits_for_all_columns() -> None:
    up = "name: up, kind: matmul, shape: {m: 1, n: 8, k: 4}, tile: [{n: 2}]"
    down = f"name: down, kind: matmul, shape: {{m: 1, n: 4, k: 8}}, tile: [{{n: 2}}], after: [{on('up', 'columns')}]"
    assert waits(expanded(contract_of(up, down)), "down") == [("up",), ("up",)]


def test_causal_attention_waits_for_all_rows_before_its_own_in_the_sequence() -> None:
    rope = "name: rope, kind: rotary, shape: {tokens: 8, heads: 2, head_dim: 4}, tile: [{tokens: 2}]"
    shape = "{q_tokens: 4, kv_tokens: 4, q_heads: 2, kv_heads: 1, head_dim: 4, sequences: 2}"
    attention = f"name: attention, kind: attention_prefill, shape: {shape}, tile: [{{q_tokens: 2}}], after: [{on('rope', 'rows')}]"
    assert waits(expanded(contract_of(rope, attention)), "attention") == [("rope[r0]",), ("rope[r0-1]",), ("rope[r2]",), ("rope[r2-3]",)]


def test_a_causal_convolution_waits_for_the_steps_under_its_kernel() -> None:
    first = "name: a, kind: conv1d, shape: {c_in: 2, c_out: 2, kernel: 1, t_out: 8}, tile: [{t_out: 2}]"
    second = f"name: b, kind: conv1d, shape: {{c_in: 2, c_out: 2, kernel: 3, t_out: 8}}, tile: [{{t_out: 2}}], after: [{on('a', 'rows')}]"
    assert waits(expanded(contract_of(first, second)), "b") == [("a[r0]",), ("a[r0-1]",), ("a[r1-2]",), ("a[r2-3]",)]


def test_a_transposed_convolution_waits_for_the_fewer_steps_that_it_stretches() -> None:
    first = "name: a, kind: conv1d, shape: {c_in: 2, c_out: 2, kernel: 1, t_out: 4}, tile: [{t_out: 1}]"
    shape = "{c_in: 2, c_out: 2, kernel: 4, stride: 2, t_out: 8}"
    second = f"name: b, kind: conv_transpose1d, shape: {shape}, tile: [{{t_out: 2}}], after: [{on('a', 'rows')}]"
    assert waits(expanded(contract_of(first, second)), "b") == [("a[r0]",), ("a[r0-1]",), ("a[r1-2]",), ("a[r2-3]",)]


def test_without_readiness_every_operator_waits_for_the_one_before_it() -> None:
    program = expanded(contract_of(stated("a", 2), stated("b", 2), stated("c", 2, on("a", "same"))), "readiness")
    assert [waits(program, name) for name in "abc"] == [[(), ()], [("a",), ("a",)], [("b",), ("b",)]]


def test_barriers_also_stand_between_repeats_and_blocks() -> None:
    contract = contract_with(block(stated("first")), block(stated("a"), stated("b"), repeat=3), block(stated("last")))
    program = expanded(contract, "readiness")
    assert [tile.waits for tile in program.prologue.tiles] == [(), ("first",), ("a",)]
    assert [(tile.waits, tile.waits_before) for tile in program.body.tiles] == [((), ("b", "first")), (("a",), ())]
    assert [(tile.waits, tile.waits_before) for tile in program.epilogue.tiles] == [((), ("b",))]


def test_an_opaque_operator_keeps_barriers_to_all_before_and_all_after() -> None:
    opaque = "name: fft, kind: opaque, grid_ctas: 1, duration_us: 1, hbm_bytes: 0, resident_ctas: 132"
    program = expanded(contract_of(stated("a"), stated("b"), opaque, stated("c"), stated("d", 1, on("a"))))
    assert [waits(program, name)[0] for name in ("fft", "c", "d")] == [("a", "b"), ("fft",), ("a", "fft")]


def test_barriers_of_an_opaque_operator_cost_no_waits() -> None:
    head = HEAD + "synchronization: {kind: counters, cost_us: 3}\n"
    opaque = "name: fft, kind: opaque, grid_ctas: 1, duration_us: 1, hbm_bytes: 0, resident_ctas: 132"
    program = expanded(contract_of(stated("a"), opaque, stated("b", 1, on("a")), head=head))
    assert [tile.compute_ps for tile in program.prologue.tiles] == [1_000_000, 1_000_000, 4_000_000]


def test_a_wait_costs_what_the_contract_says_per_counter() -> None:
    head = HEAD + "synchronization: {kind: counters, cost_us: 3}\n"
    contract = contract_of(stated("a"), stated("b"), stated("c", 1, f"{on('a')}, {on('b')}"), stated("d", 1, on("c"), waits=5), head=head)
    assert [tile.compute_ps for tile in expanded(contract).prologue.tiles] == [1_000_000, 1_000_000, 7_000_000, 16_000_000]
    assert {tile.compute_ps for tile in expanded(contract, "synchronization").prologue.tiles} == {1_000_000}
