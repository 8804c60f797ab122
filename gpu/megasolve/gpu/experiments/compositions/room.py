"""Room: whether the device holds every persistent grid of a plan as a whole, and the two sides of a split beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...driver import DoesNotFit
from .launch_plan import PlannedLaunch, sides


def require_room(name: str, plan: Sequence[PlannedLaunch], ctas_per_sm: Mapping[str, int], sms: int) -> None:
    """Refuse a plan that the device cannot hold; no grid is ever made smaller.

    Parameters
    ----------
    ctas_per_sm
        By entry, how many of its CTAs one SM holds.

    Raises
    ------
    DoesNotFit
    """
    for planned in plan:
        if planned.region.is_persistent and (held := _sms_of([planned], ctas_per_sm)) > sms:
            raise DoesNotFit(f"{name}: {planned} needs {held} SMs at once, and the device has {sms}; a smaller budget is another design")
    main, beside = (_sms_of((plan[number] for number in side), ctas_per_sm) for side in sides(plan))
    if main + beside > sms:
        raise DoesNotFit(f"{name}: its sides need {main} and {beside} SMs at once, and the device has {sms}")


def _sms_of(launches: Iterable[PlannedLaunch], ctas_per_sm: Mapping[str, int]) -> int:
    """Return the SMs of the largest of *launches*, which follow each other."""
    return max((-(-one.ctas // ctas_per_sm[one.region.entries[0]]) for one in launches if one.region.is_persistent), default=0)
