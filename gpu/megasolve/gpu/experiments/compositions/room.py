"""Room: whether the device holds every persistent grid of a plan as a whole, and the two sides of a split beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from megasolve.contracts import Study, co_residency

from ...driver import DoesNotFit
from .candidates import contracts_of
from .launch_plan import PlannedLaunch, sides


def require_room(
    study: Study, name: str, plan: Sequence[PlannedLaunch], ctas_per_sm: Mapping[str, int], sms: int, *, meet: bool = True
) -> None:
    """Refuse a plan that the device cannot hold; no grid is ever made smaller.

    Two sides fit by the placement that the planner goes by, so that what it ranks is not refused here; also where every SM holds some of
    both.

    Parameters
    ----------
    ctas_per_sm, sms
        By entry, how many of its CTAs one SM holds, and how many SMs there are, as the driver says.
    meet
        Whether the two sides have to be there at once; on two streams one may wait for what the other holds.

    Raises
    ------
    DoesNotFit
    """
    for planned in plan:
        if planned.region.is_persistent and (held := -(-planned.ctas // ctas_per_sm[planned.region.entries[0]])) > sms:
            raise DoesNotFit(f"{name}: {planned} needs {held} SMs at once, and the device has {sms}; a smaller budget is another design")
    # The count of the driver is of the SMs that can be used, so no share is taken of it again.
    device = study.device.value.model_copy(update={"sms": sms, "mps_active_thread_percentage": None})
    for main, beside in _pairs(plan) if meet else ():
        (one,), (other,) = contracts_of(study, main.region), contracts_of(study, beside.region)
        placed = co_residency(device, one, main.ctas, other, beside.ctas)
        if not placed.fits:
            raise DoesNotFit(f"{name}: its sides are not there at once: {placed.because}")


def _pairs(plan: Sequence[PlannedLaunch]) -> Iterator[tuple[PlannedLaunch, PlannedLaunch]]:
    """Yield the persistent launches that may be there at once, one of each side."""
    main, beside = ([plan[number] for number in side if plan[number].region.is_persistent] for side in sides(plan))
    return ((one, other) for one in main for other in beside)
