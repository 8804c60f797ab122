"""Small studies of one fused step against its kernels, batch by batch: what a megakernel saves and costs can be read off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from megasolve.contracts import Study
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study

Times = Mapping[int, tuple[float, float]]
GRAPH: Fields = {"kind": "graph", "host_waits": True, "host_us": 2, "exposed_us": 1, "gap_us": 0.5}


def fusion(times: Times, *, host_us: float = 10, **fields: Any) -> Study:
    """Return a study whose step takes, by batch, the first time on ten kernels of a graph and the second in a megakernel.

    The graph costs 3 us a launch and 0.5 us before each kernel, 8 in all; the megakernel *host_us*.
    """
    fused = megakernel("B", host_us=host_us)
    kernels = conventional("B", kernels=10, dispatch=GRAPH)
    records = [record(one, "B", pair[place], batch=batch) for batch, pair in times.items() for place, one in enumerate((kernels, fused))]
    asked = spec([group("B", "producer")], publication={"group": "B", "step": 1}, batches=sorted(times), **fields)
    return study(asked, [fused, kernels], records, sources={"default": "invented"})
