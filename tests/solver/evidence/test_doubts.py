"""What a wait costs, and on which device that was measured; a case from the field."""

from __future__ import annotations

import pytest

from megasolve.contracts import Study
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.solver import BatchResult, Derivation, service_table, solve
from tests.support.planning.programs import decoding, fused, kernels, operator
from tests.support.planning.studies import Fields

# Case C43, per operation in us: a grid-wide wait inside one kernel, and a kernel of a replayed graph, on two GPUs.
WAIT_US = {"gv100": 18.8, "rtx_3090": 0.74}


GRAPH_US = {"gv100": 5.2, "rtx_3090": 0.83}


OPERATIONS = 20


def planned(device: str, wait_from: str, *, named: str | None = None, measured_on: str | None = None) -> Study:
    """Return a chain of nearly empty operations on *device*, with the wait cost of *wait_from*; the spec names the device *named*."""
    chain = operator("step", compute_us=0.001) | {"after": [{"operator": "step", "previous": True}]}
    origin = {"measured_on": measured_on} if measured_on else {}
    waiting: Fields = {"kind": "grid_barrier", "cost_us": WAIT_US[wait_from], **origin}
    replayed: Fields = {"kind": "graph", "host_waits": True, "host_us": 0, "exposed_us": 0, "gap_us": GRAPH_US[device]}
    one = fused(chain, repeat=OPERATIONS, synchronization=waiting, host_us=0)
    many = kernels(chain, repeat=OPERATIONS, kernels=OPERATIONS, dispatch=replayed)
    return decoding(one, many, figures={"name": device}, device=named or device)


def solved(asked: Study, derivation: Derivation | None = None) -> BatchResult:
    return solve(asked, derivation=derivation).results[0]


def marks(asked: Study) -> list[str]:
    return [note for row in solved(asked).ranking for note in row.notes if "synchronization cost" in note]


@pytest.mark.parametrize(("device", "winner"), [("gv100", "c:D@serial"), ("rtx_3090", "m:D@serial")])
def test_c43_each_device_decides_by_its_own_cost_of_waiting(device: str, winner: str) -> None:
    asked = planned(device, device)
    assert solved(asked).best == (winner,)
    assert marks(asked) == []


def test_c43_a_cost_from_another_device_turns_the_decision_and_is_marked() -> None:
    asked = planned("gv100", "rtx_3090", measured_on="rtx_3090")
    assert solved(asked).best == ("m:D@serial",)
    mark = "the synchronization cost of 'D' (0.74 us a wait) is from rtx_3090, not from gv100: it may turn the decision"
    assert marks(asked) == [mark]
    assert [row.notes for row in service_table(asked).rows if row.key.entry == "D"] == [(mark,)]


def test_c43_a_cost_that_names_no_device_is_of_the_one_that_the_spec_names() -> None:
    (mark,) = marks(planned("gv100", "rtx_3090", named="rtx_3090"))
    assert "is from the spec's own device, rtx_3090, not from gv100" in mark


def test_c43_a_cost_that_was_measured_on_the_planned_device_is_not_marked() -> None:
    assert marks(planned("gv100", "gv100", named="rtx_3090", measured_on="gv100")) == []


def test_c43_where_waiting_costs_nothing_by_request_nothing_is_marked() -> None:
    asked = planned("gv100", "rtx_3090", named="rtx_3090")
    result = solved(asked, Derivation(Mechanisms().without("synchronization")))
    assert not any("synchronization cost" in note for row in result.ranking for note in row.notes)


def test_c43_the_device_of_the_cost_is_no_part_of_the_context() -> None:
    named = planned("gv100", "gv100", measured_on="gv100").contracts[0].value
    assert named.context == planned("gv100", "gv100").contracts[0].value.context
