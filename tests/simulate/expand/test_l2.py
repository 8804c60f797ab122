"""What stays in L2 by the rule: all that is touched between two uses has to fit."""

from __future__ import annotations

import pytest

from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.setup import DeviceRates, Mechanisms
from megasolve.simulate.tiles.bounds import queued_bytes
from megasolve.simulate.tiles.program import TileProgram
from tests.support.planning.operators import HEAD, RATES, block, contract_with, tiles_of

# Touches 100 bytes of weights, reads 10 and writes 20.
UP = "name: up, kind: explicit, tiles: 2, compute_us: 1, weight_bytes: 50, activation_bytes: 5, output_bytes: 10"
MATMUL = "kind: matmul, shape: {m: 1, n: 10, k: 10}, tile: [{n: 5}], compute_us: 1, element_bytes: 1"
THREE_TILES = "kind: matmul, shape: {m: 1, n: 3, k: 13}, tile: [{n: 1}], compute_us: 1, element_bytes: 1, reread: [activations]"
PAIR = (f"name: a, {MATMUL}", f"name: b, {MATMUL}, after: [{{operator: a}}]")


def program(keeps: str, l2_bytes: int | None, *off: str, operators: tuple[str, ...] = PAIR, repeat: int = 1) -> TileProgram:
    contract = contract_with(block(*operators, repeat=repeat), head=HEAD + f"stays_in_l2: [{keeps}]\n")
    rates = DeviceRates(RATES.workers, RATES.bandwidth_bytes_per_s, RATES.flops_per_s, RATES.registers, l2_bytes)
    return expand(contract, "B", {"batch": 1}, rates, Mechanisms().without(*off))


def found(one: TileProgram, operator: str) -> tuple[int, int, int, int]:
    """Return what the tiles of *operator* load: weights and activations, from memory and from L2."""
    tiles = tiles_of(one, operator)
    return (
        sum(tile.weight_bytes for tile in tiles),
        sum(tile.activation_bytes for tile in tiles),
        sum(tile.cached_weight_bytes for tile in tiles),
        sum(tile.cached_activation_bytes for tile in tiles),
    )


# An operator has 100 bytes of weights, 10 of input, which the second one finds where the first has written it, and 10 of output.
@pytest.mark.parametrize(("l2_bytes", "stays"), [(230, True), (229, False), (None, False)])
def test_activations_stay_where_what_is_touched_from_producer_to_consumer_fits(l2_bytes: int | None, stays: bool) -> None:
    one = program("activations", l2_bytes)
    assert found(one, "a") == (100, 10, 0, 0)
    assert found(one, "b") == ((100, 0, 0, 10) if stays else (100, 10, 0, 0))
    assert queued_bytes(one) == (230 if stays else 240)


@pytest.mark.parametrize(("l2_bytes", "stays"), [(220, True), (219, False)])
def test_weights_stay_where_all_of_them_fit_beside_the_largest_inputs_and_outputs(l2_bytes: int, stays: bool) -> None:
    one = program("weights", l2_bytes)
    for operator in ("a", "b"):
        assert found(one, operator) == ((0, 10, 100, 0) if stays else (100, 10, 0, 0))
    assert found(program("weights", 10 * l2_bytes, repeat=11), "a")[2] == 0


@pytest.mark.parametrize(("l2_bytes", "stays"), [(420, True), (419, False)])
def test_weights_of_all_members_of_an_entry_fit_beside_each_other_or_none_stay(l2_bytes: int, stays: bool) -> None:
    # Each member has 200 bytes of weights, and inputs and outputs of 20.
    programs = block(*PAIR) + "  L:\n" + block(*PAIR)
    contract = contract_with(programs, head=HEAD.replace("[B]", "[B, L]") + "stays_in_l2: [weights]\n")
    rates = DeviceRates(RATES.workers, RATES.bandwidth_bytes_per_s, RATES.flops_per_s, RATES.registers, l2_bytes)
    members = {"B": {"batch": 1}, "L": {"batch": 1}}
    assert all(found(expand(contract, group, members[group], rates, members=members), "a")[2] == 100 * stays for group in members)
    assert found(expand(contract, "B", members["B"], rates), "a")[2] == 100


def test_what_lies_between_counts() -> None:
    far = (PAIR[0], f"name: other, {MATMUL}", PAIR[1])
    assert found(program("activations", 349, operators=far), "b") == (100, 10, 0, 0)
    assert found(program("activations", 350, operators=far), "b") == (100, 0, 0, 10)


def test_a_repeat_finds_what_the_one_before_has_left() -> None:
    carried = (f"name: a, {MATMUL}, after: [{{operator: b, previous: true}}]", PAIR[1])
    one = program("activations", 220, operators=carried, repeat=5)
    (first,) = (tile for tile in one.prologue.tiles[:1])
    assert first.cached_activation_bytes == 0
    assert sum(tile.cached_activation_bytes for tile in one.body.tiles if tile.operator == "a") == 10
    assert sum(tile.cached_activation_bytes for tile in one.body.tiles if tile.operator == "b") == 10


def test_what_is_forwarded_is_on_chip_and_not_counted_again() -> None:
    kept = (PAIR[0] + ", forwarded: true", PAIR[1])
    assert found(program("activations", 10**6, operators=kept), "b") == (100, 0, 0, 0)


def test_without_forwarding_what_was_handed_on_is_stored_and_found_in_l2() -> None:
    kept = (PAIR[0] + ", forwarded: true", PAIR[1])
    assert found(program("activations", 230, "forwarding", operators=kept), "b") == (100, 0, 0, 10)
    assert found(program("activations", 229, "forwarding", operators=kept), "b") == (100, 10, 0, 0)


# Both producers write 10 bytes each, and the consumer reads 10, or 13 of which each of its three tiles reads every one.
@pytest.mark.parametrize(("consumer", "loads"), [(MATMUL, (100, 0, 0, 0)), (THREE_TILES, (39, 0, 0, 9))])
def test_only_what_is_not_on_chip_is_found_in_l2(consumer: str, loads: tuple[int, int, int, int]) -> None:
    joined = (PAIR[0] + ", forwarded: true", f"name: b, {MATMUL}", f"name: c, {consumer}, after: [{{operator: a}}, {{operator: b}}]")
    one = program("activations", 10**6, operators=joined)
    assert found(one, "c") == loads
    assert all(tile.activation_bytes >= 0 and tile.cached_activation_bytes >= 0 for tile in tiles_of(one, "c"))


def test_without_the_mechanism_or_the_word_of_the_contract_everything_passes_the_queue() -> None:
    assert queued_bytes(program("activations, weights", 10**6, "l2")) == 240
    assert queued_bytes(program("", 10**6)) == 240
    assert queued_bytes(program("activations, weights", 10**6)) == 10 + 2 * 10


def test_explicit_operators_touch_what_they_state() -> None:
    stated = (UP, "name: down, kind: explicit, tiles: 1, compute_us: 1, activation_bytes: 20, after: [{operator: up}]")
    assert found(program("weights", 130, operators=stated), "up")[2] == 100
    assert found(program("weights", 129, operators=stated), "up")[2] == 0
