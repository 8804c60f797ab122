"""The vocoder of the field (C89) beside its talker, as compositions: each group some equal kernels, wide or narrow."""

from __future__ import annotations

from dataclasses import replace

from megasolve.simulate import Capacity, Composition, KernelGrid, Phase, Schedule, SecondStream, Service, Sharing, Work
from tests.support.simulation.compositions import composition, cost, graphed

MS = 10**9
WIDE, NARROW = 132, 44
AT_STEP_R = SecondStream()


def kernels(group: str, ps: int, count: int, ctas: int, *, host_ps: int = 0) -> dict[tuple[str, Phase], Work]:
    """Return a group of *count* equal kernels of *ctas* CTAs, alone or beside another stream."""
    one = Service(group, ps, 0, count, cost(host_ps, waits=False), KernelGrid(ctas, 1, 132))
    return {(group, phase): Work(group, 1, (one,)) for phase in (Phase.WHOLE, Phase.STREAM)}


def vocoder(step_ctas: int, chunk_ctas: int, second: SecondStream = AT_STEP_R, *, length: int | None = None) -> Composition:
    """C89: prefill 4.5 ms, two steps of 12 ms in 240 kernels to the first chunk, vocoder 3.2 ms in 32 kernels."""
    works = {**kernels("P", 4500 * 10**6, 1, 132), **kernels("T", 12 * MS, 240, step_ctas), **kernels("C", 3200 * 10**6, 32, chunk_ctas)}
    regions = (graphed("P"), graphed("T"), graphed("C"))
    asked = composition(regions, "P T C", Schedule(2, 2, None, 2, length), Sharing.STREAMS, works, capacity=Capacity(132, 132, 132))
    return replace(asked, second_stream=second)
