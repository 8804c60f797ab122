"""What the child of a co-run is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from megasolve.simulate.plan.runnable import RegionOfEntries

from ...driver import DeviceFacts
from ...harness.counts import Counts

Step = Literal["producer", "consumer", "pair"]


@dataclass(frozen=True, slots=True)
class CoRunRequest:
    """A producer on *producer_ctas* CTAs beside a consumer on *consumer_ctas*, which a conventional consumer has for its grids.

    *device* is the device file or name to plan for, None for the spec's own; *root* widens its project; *ordinal* is the number of the GPU;
    *seed* draws inputs and the order of the times. *samples* are taken of each side alone and of the pair.
    """

    spec: str
    device: str | None
    ordinal: int
    batch: int
    producer: RegionOfEntries
    consumer: RegionOfEntries
    producer_ctas: int
    consumer_ctas: int
    samples: int
    counts: Counts
    seed: int
    cooperative: bool = True
    root: str | None = None


@dataclass(frozen=True, slots=True)
class SideTimes:
    """The time of one round of a side, alone and beside the other, and the SMs of its CTAs; empty where there is none."""

    solo_us: tuple[float, ...] = ()
    pair_us: tuple[float, ...] = ()
    sms: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CoRunResult:
    """The answer of a child: the times in the *order* in which they were taken, or *because* of what there are none.

    One that died has told nothing of its *device*.
    """

    device: DeviceFacts | None
    versions: Mapping[str, str]
    wanted_ctas: int
    met_ctas: int
    producer: SideTimes = SideTimes()
    consumer: SideTimes = SideTimes()
    order: tuple[Step, ...] = ()
    relative_l2: float | None = None
    because: str | None = None


CO_RUN_REQUEST, CO_RUN_RESULT = TypeAdapter(CoRunRequest), TypeAdapter(CoRunResult)
"""How the request goes to a child, and the result comes back, as values of JSON."""
