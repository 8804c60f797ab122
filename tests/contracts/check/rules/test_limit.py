"""Rules of one launch: barriers, orders, roles and their registers; cases from the field."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts.check.rules import limit as limit_rules
from megasolve.contracts.limits.launches import launch_faults
from megasolve.contracts.limits.occupancy import occupancy, register_limit
from megasolve.contracts.model.contract import Contract
from tests.support.planning.launches import budget_codes, device, launch, limit_faults, megakernel

H100 = device()


def test_c17_a_grid_barrier_over_more_ctas_than_are_resident_is_a_deadlock() -> None:
    p100 = device(name="p100", sms=56)
    barrier = megakernel(launch(1024, 32, ctas_per_sm=2), synchronization={"kind": "grid_barrier"})
    (fault,) = launch_faults(p100, barrier, 128)
    assert fault.message.endswith("its grid barrier is a deadlock: 16 CTAs never start while 112 wait")
    assert budget_codes(p100, barrier, 112) == []
    assert [occupancy(p100, launch(1024, registers)).ctas_per_sm for registers in (32, 33)] == [2, 1]


def test_c20_waiting_ctas_must_not_take_the_slots_of_those_they_wait_for() -> None:
    slots = device(sms=160)
    shape = launch(256, 32, ctas_per_sm=8)
    waits = megakernel(shape, grid_ctas=20480, synchronization={"kind": "counters"})
    ordered = megakernel(shape, grid_ctas=20480, synchronization={"kind": "counters", "ordered": True})
    fitting = megakernel(shape, grid_ctas=1280, synchronization={"kind": "counters"})
    assert [budget_codes(slots, entry, 1280) for entry in (waits, ordered, fitting)] == [["SYN-02"], [], []]


def test_c26_roles_share_the_registers_of_the_launch() -> None:
    def split(math_registers: int) -> Contract:
        copy = {"name": "copy", "threads": 128, "registers": 32}
        math = {"name": "math", "threads": 256, "registers": math_registers}
        return megakernel(launch(384, 168, roles=(copy, math)))

    def found(contract: Contract) -> list[str]:
        return [fault.rule.code for fault in limit_faults(contract)]

    legal = split(232)
    assert register_limit(H100, 384) == 168
    assert limit_rules.role_register_limit(legal.launch, legal.launch.roles[1]) == 232
    assert (found(legal), found(split(240)), found(split(236))) == ([], ["LIM-05"], ["LIM-03"])


@pytest.mark.parametrize(("ctas_per_sm", "most"), [(1, 262_144), (2, 131_072), (7, 37_448)])
def test_bytes_in_flight_of_a_launch_that_says_nothing_fit_what_the_device_gives_a_cta(ctas_per_sm: int, most: int) -> None:
    def found(in_flight_bytes: int, **figures: Any) -> list[str]:
        shape = launch(None, None, ctas_per_sm=ctas_per_sm, unverified="not published", **figures)
        entry = megakernel(shape, in_flight_bytes=in_flight_bytes)
        return [fault.message for fault in limit_rules.in_flight_fits_device.find(entry, H100)]

    assert found(most) == []
    (message,) = found(most + 1)
    assert message.startswith(f"{most + 1:,} B in flight > {most:,} B of shared memory or registers of a CTA, {ctas_per_sm} per SM on h100")
    # What the launch states is judged by the contract alone.
    assert found(most + 1, shared_bytes=1024) == []
