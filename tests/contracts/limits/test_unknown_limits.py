"""A limit that a device file does not state: nothing is checked against it, nothing is taken to fit by it, and the answer says so."""

from __future__ import annotations

from megasolve.contracts.limits.launches import launch_faults
from megasolve.contracts.limits.occupancy import occupancy
from megasolve.contracts.limits.residency import co_residency
from tests.support.planning.launches import budget_codes, device, launch, megakernel

OPEN = device(name="open", ctas_per_sm=None)
STATED = device(name="stated")


def test_an_unknown_limit_is_no_limit_and_said_to_be_unverified() -> None:
    held = occupancy(OPEN, launch(32, 16))
    assert (held.ctas_per_sm, held.unverified) == (64, ("ctas",))
    assert "ctas" not in held.by
    assert (occupancy(STATED, launch(32, 16)).ctas_per_sm, occupancy(STATED, launch(32, 16)).unverified) == (32, ())


def test_an_sm_never_holds_more_ctas_than_warps() -> None:
    without_reserve = device(name="open", ctas_per_sm=None, shared_reserve_bytes=0)
    assert occupancy(without_reserve, launch(None, None)).ctas_per_sm == 64
    (fault,) = launch_faults(OPEN, megakernel(launch(32, 16, ctas_per_sm=65)), 65)
    assert "no launch has more than 64 CTAs per SM on open" in fault.message


def test_launches_within_the_stated_limits_pass() -> None:
    assert budget_codes(OPEN, megakernel(launch(256, 64, ctas_per_sm=2)), 264) == []


def test_two_launches_are_not_taken_to_fit_on_one_sm() -> None:
    light = megakernel(launch(64, 32), entry="light")
    other = megakernel(launch(64, 32), entry="other")
    assert co_residency(STATED, light, 132, other, 132).fits
    apart = co_residency(OPEN, light, 66, other, 66)
    assert apart.fits
    assert apart.assumption is not None
    assert "whether they could share one is unverified (ctas_per_sm of open)" in apart.assumption
    assert not co_residency(OPEN, light, 132, other, 132).fits
