"""Persistent launches of one call each: those of whole candidates and co-runs that need no more than what a call alone needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from megasolve.contracts import Contract

from ..programs.group_calls import dependencies
from .calls import Arrays, AskedCall, LaunchSet, LaunchSide, NotOffered, Scratch, StatedCall, StatedLaunch

Launches: TypeAlias = Callable[[AskedCall, Sequence[Contract], int], StatedCall]
"""How a workload launches a call by itself."""

DOCUMENTED = " (docs/measuring.md#your-own-kernels)"
"""Where a message sends those whose workload lacks a function."""


@dataclass(frozen=True, slots=True)
class _Beside(StatedCall):
    """Calls beside each other that know nothing of each other: what each says of itself holds for it alone."""

    calls: tuple[StatedCall, ...] = field(kw_only=True)

    def faults(self, resident_ctas: int) -> Sequence[str]:
        """Return what each has."""
        return [text for call in self.calls for text in call.faults(resident_ctas)]

    def complaint(self, diagnosis: Sequence[int]) -> str | None:
        """Return what the first says that says something."""
        return next(filter(None, (call.complaint(diagnosis) for call in self.calls)), None)

    def miscounted(self, scratch: Arrays) -> str | None:
        """Return what the first says of its own scratch."""
        own = (_own(scratch, launch.entry) for launch in self.launches)
        return next(filter(None, (call.miscounted(left) for call, left in zip(self.calls, own, strict=True))), None)


def alone(launches: Launches, asked: LaunchSet) -> StatedCall:
    """Return the launches of *asked* where each side is one call, by the *launches* of a workload.

    Raises
    ------
    NotOffered
        A side has several calls or waits for the other one on the device, or its call is more than one launch.
    """
    calls, spec = asked.streams.calls, asked.study.spec.value
    if len(calls) != len(asked.sides) or any(earlier in calls for call in calls for earlier in dependencies(spec, call)):
        raise NotOffered(f"no composed() of it launches {asked}, which wait for each other on the device{DOCUMENTED}")
    stated = [_stated(launches, asked, side) for side in asked.sides]
    if len(stated) == 1:
        return stated[0]
    return _Beside(tuple(_apart(one.launches[0]) for one in stated), calls=tuple(stated))


def _stated(launches: Launches, asked: LaunchSet, side: LaunchSide) -> StatedCall:
    (call,) = side.calls
    stated = launches(asked.call(call), (side.contract,), side.ctas)
    if len(stated.launches) != 1:
        where = f"{len(stated.launches)} launches of {call} in entry '{side.contract.entry}'"
        raise NotOffered(f"launches() makes {where}, and in a whole candidate or co-run a megakernel is one")
    return stated


def _apart(launch: StatedLaunch) -> StatedLaunch:
    """Return *launch* with scratch of its own, as the other side may give its own the same name."""
    named = (replace(one, name=_name(launch.entry, one.name)) if isinstance(one, Scratch) else one for one in launch.arguments)
    return replace(launch, arguments=tuple(named))


def _own(scratch: Arrays, entry: str) -> Arrays:
    prefix = _name(entry, "")
    return {name.removeprefix(prefix): words for name, words in scratch.items() if name.startswith(prefix)}


def _name(entry: str, name: str) -> str:
    return f"{entry}: {name}"
