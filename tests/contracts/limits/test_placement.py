"""Two launches beside each other, placed by hand: every CTA starts on the emptiest SM, whichever launch comes first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts import Contract, Device, co_residency
from megasolve.contracts.limits.occupancy import sm_shortages
from tests.support.planning.launches import device, launch, megakernel

TEN = device(sms=10)
# Of 233,472 bytes of shared memory on an SM: one, two or three CTAs of these fit, and none of the last two beside the first.
BYTES = {1: 200_000, 2: 100_000, 3: 70_000}
PACKED = {"packed": "two roles of one cluster share an SM"}


def entry(name: str, per_sm: int, *, packed: bool = False) -> Contract:
    shape = launch(128, 32, ctas_per_sm=per_sm, shared_bytes=BYTES[per_sm])
    return megakernel(shape, entry=name, **({"placement": PACKED} if packed else {}))


@pytest.mark.parametrize(
    ("per_sm", "x", "y", "fits"),
    [
        # One CTA per SM on both sides: each CTA takes an SM in either order, so only the sum counts, also exactly at ten.
        (1, 6, 4, True),
        (1, 6, 5, False),
        # Two per SM: 6 CTAs take 3 SMs at least and 6 at most. 4 beside them fit in both orders: 6 + 4 and 4 + 3.
        (2, 6, 4, True),
        # 7 take 7 and leave 3 SMs; the other order would fit: 5 + ceil(7 / 2) = 9.
        (2, 7, 4, False),
        (2, 7, 3, True),
        # 10 and more are on every SM: nothing fits beside them first, although 5 SMs would be enough.
        (2, 10, 1, False),
        (2, 12, 4, False),
        (2, 9, 1, True),
        (2, 9, 2, False),
        # Y first leaves 4 SMs, room for 8: an odd number rounds up.
        (2, 4, 6, True),
        (2, 5, 6, False),
        # Three per SM: 8 CTAs take 8 SMs, and 2 are left; ceil(8 / 3) = 3 beside 2 is no question.
        (3, 8, 2, True),
        (3, 8, 3, False),
        (3, 3, 7, True),
        (3, 4, 7, False),
        # 30 fill the device.
        (3, 30, 1, False),
    ],
)
def test_entries_that_exclude_each_other_fit_if_they_do_in_both_orders(per_sm: int, x: int, y: int, fits: bool) -> None:
    found = co_residency(TEN, entry("stage", per_sm), x, entry("codec", 1), y)
    assert found.exclusive
    assert found.fits is fits
    assert found.assumption is None


@pytest.mark.parametrize(
    ("per_sm", "x", "y", "fits"),
    [
        (2, 12, 4, True),  # 6 + 4 = 10, exactly.
        (2, 13, 4, False),  # 7 + 4.
        (2, 18, 1, True),  # 9 + 1.
        (2, 18, 2, False),
        (3, 24, 2, True),  # 8 + 2.
        (3, 25, 2, False),  # 9 + 2.
        (3, 27, 1, True),
    ],
)
def test_ctas_that_a_contract_packs_fill_one_sm_before_the_next(per_sm: int, x: int, y: int, fits: bool) -> None:
    found = co_residency(TEN, entry("stage", per_sm, packed=True), x, entry("codec", 1), y)
    assert found.fits is fits
    assert not found.deadlocks
    if fits:
        assert found.assumption == f"'stage' is packed, {per_sm} CTAs on an SM: two roles of one cluster share an SM"
        assert (found.taken_x, found.taken_y) == (found.sms_x, y)


def test_a_stated_packing_that_nothing_rests_on_is_no_assumption() -> None:
    assert co_residency(TEN, entry("stage", 2, packed=True), 6, entry("codec", 1), 4).assumption is None


def test_a_partition_packs_the_ctas_inside_it() -> None:
    sides = [
        megakernel(one.launch, entry=one.entry, partition={"mechanism": "green_context", "same_split": True})
        for one in (entry("stage", 2), entry("codec", 1))
    ]
    assert co_residency(TEN, sides[0], 12, sides[1], 4).fits


def test_a_deadlock_names_the_order_the_room_and_the_repair() -> None:
    found = co_residency(TEN, entry("stage", 2), 12, entry("codec", 1), 4)
    assert (found.fits, found.deadlocks) == (False, True)
    assert found.because == (
        "6 + 4 = 10 SMs <= 10 only if packed: launched first, 'stage' takes 10 of 10 SMs with its 12 CTAs and leaves room for 0 of the 4 "
        "of 'codec'; a deadlock in that order; lower one side, or state in `placement.packed` of 'stage' what packs its CTAs"
    )
    too_many = co_residency(TEN, entry("stage", 2), 13, entry("codec", 1), 4)
    assert (too_many.because, too_many.deadlocks) == ("7 + 4 = 11 SMs > 10 on h100", False)


@pytest.mark.parametrize(("x", "y", "fits"), [(14, 6, True), (20, 1, False), (19, 1, False), (18, 2, True), (1, 18, True)])
def test_entries_that_can_share_an_sm_use_what_the_other_leaves_of_it(x: int, y: int, fits: bool) -> None:
    """Two halves of an SM each: 14 first leave 6 halves; 19 and 1 need 11 SMs apart, and an even mix would put three on one."""
    found = co_residency(TEN, entry("stage", 2), x, entry("codec", 2), y)
    assert (found.exclusive, found.fits) == (False, fits)


def test_entries_that_share_an_sm_only_while_it_is_nearly_empty_can_deadlock_too() -> None:
    """A third and a half of an SM: 21 CTAs put two or three on each SM, and no half is left anywhere."""
    third, half = entry("stage", 3), megakernel(launch(128, 32, shared_bytes=140_000), entry="codec")
    found = co_residency(TEN, third, 21, half, 3)
    assert (found.exclusive, found.fits, found.deadlocks) == (False, False, True)
    assert "launched first, 'stage' takes 10 of 10 SMs with its 21 CTAs and leaves room for 0 of the 3 of 'codec'" in found.because
    assert co_residency(TEN, third, 10, half, 3).fits


def test_whether_an_unverified_launch_shares_an_sm_is_not_hoped_for() -> None:
    unknown = megakernel(launch(None, None, ctas_per_sm=2, unverified="not published"), entry="stage")
    found = co_residency(TEN, unknown, 12, entry("codec", 1), 4)
    assert (found.fits, found.deadlocks) == (False, True)
    assert "whether they could share an SM is unverified (stage)" in found.because
    assert co_residency(TEN, unknown, 6, entry("codec", 1), 4).fits


@given(
    sms=st.integers(1, 8),
    shapes=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    ctas=st.tuples(st.integers(1, 24), st.integers(1, 24)),
    packed=st.tuples(st.booleans(), st.booleans()),
)
def test_what_fits_starts_in_both_orders_when_each_cta_takes_the_emptiest_sm(
    sms: int, shapes: tuple[int, int], ctas: tuple[int, int], packed: tuple[bool, bool]
) -> None:
    few = device(sms=sms)
    sides = [entry(name, shape, packed=one) for name, shape, one in zip(("stage", "codec"), shapes, packed, strict=True)]
    found = co_residency(few, sides[0], ctas[0], sides[1], ctas[1])
    orders = [started(few, list(zip(sides, ctas, strict=True))[::step]) for step in (1, -1)]
    if found.fits and not any(packed):
        assert all(orders)
    if found.deadlocks and not any(packed):
        assert not all(orders)
    if found.exclusive and not any(packed):
        assert found.fits is all(orders)
    if found.fits and not found.mixed:
        assert found.taken_x + found.taken_y <= sms


def started(on: Device, launches: list[tuple[Contract, int]]) -> bool:
    """Whether all CTAs start, one by one, each on an SM with the fewest CTAs among those that hold one more."""
    held: list[list[int]] = [[0, 0] for _ in range(on.sms)]
    for side, (_, ctas) in enumerate(launches):
        for _ in range(ctas):
            fitting = [sm for sm in held if _holds_one_more(on, launches, sm, side)]
            if not fitting:
                return False
            min(fitting, key=sum)[side] += 1
    return True


def _holds_one_more(on: Device, launches: list[tuple[Contract, int]], sm: list[int], side: int) -> bool:
    counts = [count + (index == side) for index, count in enumerate(sm)]
    if counts[side] > launches[side][0].launch.ctas_per_sm:
        return False
    return not sm_shortages(on, [(contract.launch, count) for (contract, _), count in zip(launches, counts, strict=True)])
