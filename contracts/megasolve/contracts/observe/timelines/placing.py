"""The places of the launches in a step: in order of their start, or in the order in which the host called for them.

Streams run beside each other, so that a kernel of a second stream starts now before and now behind one of the first. Where the host called
for both it is the same in every repeat of a layer; within the replay of a graph the numbers of its nodes say it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...profiles.execution import Kernel
from ..observation import PlaceOrder
from .timeline import Timeline


def placed(ran: Timeline, launches: Sequence[int], order: PlaceOrder) -> tuple[int, ...]:
    """Return *launches*, which are in order of start, in *order*; as they are where the file does not say when each was called for."""
    if order == "start" or (called := _called(ran, launches)) is None:
        return tuple(launches)
    return tuple(launch for _, launch in sorted(zip(called, launches, strict=True)))


def is_called(ran: Timeline, launches: Sequence[int]) -> bool:
    """Whether the file says when the host called for each of *launches*."""
    return _called(ran, launches) is not None


def _called(ran: Timeline, launches: Sequence[int]) -> list[tuple[int, int]] | None:
    found = [when for launch in launches if (when := _when(ran.kernels[launch])) is not None]
    return found if len(found) == len(launches) else None


def _when(kernel: Kernel) -> tuple[int, int] | None:
    if kernel.call is None:
        return None
    if kernel.graph is None:
        return kernel.call.start_ps, 0
    return None if kernel.graph.node is None else (kernel.call.start_ps, kernel.graph.node)
