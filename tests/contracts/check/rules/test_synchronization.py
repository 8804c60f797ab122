"""Rules about synchronization: cases from the field."""

from __future__ import annotations

from megasolve.contracts.check.rules import synchronization
from megasolve.contracts.model.contract import Contract
from tests.support.planning.launches import conventional, megakernel


def test_c21_a_grid_barrier_that_ctas_meet_unequally_often_is_a_deadlock() -> None:
    entry = megakernel(synchronization={"kind": "grid_barrier", "barriers_per_cta": (4, 7, 7, 2)})
    (fault,) = synchronization.equal_barriers(entry)
    assert fault.rule.code == "SYN-01"
    assert fault.message == (
        "CTAs meet the grid barrier 4, 7, 7, 2 times: a deadlock; every CTA meets it 7 times, and each pays for 7, not for the mean"
    )
    legal = megakernel(synchronization={"kind": "grid_barrier", "barriers_per_cta": (7, 7, 7, 7)})
    assert list(synchronization.equal_barriers(legal)) == []


EDGES = {"kind": "counters", "data_us": 1.15, "queue_us": 1.57, "task_us": 0}


def handed_on(hand_off: str, **fields: object) -> Contract:
    """Return an entry in which one operator hands its output on so, under a synchronization with these *fields*."""
    up = {"name": "up", "kind": "explicit", "tiles": 1, "compute_us": 1}
    down = {**up, "name": "down", "after": ({"operator": "up", "hand_off": hand_off},)}
    return megakernel(synchronization={"kind": "counters", **fields}, programs={"B": ({"operators": (up, down)},)})


def test_a_hand_off_has_a_cost_where_edges_are_told_apart() -> None:
    priced = EDGES | {"data_us": {"counter": 1.15, "flag": 0.6}}
    assert list(synchronization.edges_have_costs(handed_on("flag", **priced))) == []
    (fault,) = synchronization.edges_have_costs(handed_on("shared", **priced))
    assert fault.message == "'up' is handed on by shared, which has no cost in synchronization.data_us; add it"
    assert fault.path == ("programs", "B", 0, "operators", 1, "after", 0, "hand_off")
    assert list(synchronization.edges_have_costs(handed_on("shared", **EDGES))) == []


def test_a_grid_barrier_is_a_counter_and_has_the_cost_of_one() -> None:
    priced = EDGES | {"kind": "grid_barrier", "data_us": {"flag": 0.6}}
    (fault,) = synchronization.edges_have_costs(handed_on("flag", **priced))
    assert fault.message == "a grid barrier is a counter, which has no cost in data_us; add it"
    assert fault.path == ("synchronization", "data_us")
    assert list(synchronization.edges_have_costs(handed_on("flag", **priced | {"data_us": {"flag": 0.6, "counter": 1.15}}))) == []
    assert list(synchronization.edges_have_costs(handed_on("counter", kind="grid_barrier", cost_us=1.1))) == []


def test_without_costs_of_edges_only_the_usual_hand_off_goes_without_one() -> None:
    assert list(synchronization.edges_have_costs(handed_on("counter", cost_us=1.1))) == []
    assert len(list(synchronization.edges_have_costs(handed_on("flag", cost_us=1.1)))) == 1


def test_a_cost_of_nothing_is_a_cost_and_one_beside_costs_of_edges_may_be_nothing() -> None:
    assert list(synchronization.edges_have_costs(megakernel(synchronization=EDGES))) == []
    assert list(synchronization.waits_priced_once(megakernel(synchronization=EDGES | {"cost_us": 0}))) == []
    assert len(list(synchronization.waits_priced_once(megakernel(synchronization=EDGES | {"cost_us": 0.1})))) == 1


def test_kernels_that_end_between_operators_have_no_static_order() -> None:
    kernel = conventional(synchronization={"kind": "none", "order": "static"})
    (fault,) = synchronization.static_order_has_tiles(kernel)
    assert fault.path == ("synchronization", "order")
