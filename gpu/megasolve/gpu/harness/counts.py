"""Counts: how often things are launched, and how long anything may take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from megasolve.contracts.measuring.wishes import MeasuringWishes

Cache = Literal["warm", "cold"]


@dataclass(frozen=True, slots=True)
class Counts:
    """How a time is taken.

    Parameters
    ----------
    warmups, most_warmups
        Launches before the first sample: the least of them, and the most where the clock does not settle.
    samples
        Samples of a time.
    rotations
        Different inputs, which launches take in turn.
    runway
        Launches of the empty kernel before a sample, so that the device is busy until the whole sample is queued.
    short_us, least_sample_us, most_launches
        A launch shorter than *short_us* is repeated within a sample until that lasts *least_sample_us*, at most *most_launches* times.
    cache
        Whether what the launch before left in the caches stays there (warm), or is overwritten first (cold).
    wait_s
        After this time a launch counts as hanging.
    stop_s
        After this time one that was told to stop counts as one that never does.
    kernel_wait_ns
        After this time a tile in a persistent kernel gives up waiting.
    settled
        How far, relative, a time that is taken again may be from the first one without being taken once more.
    """

    warmups: int
    most_warmups: int
    samples: int
    rotations: int
    runway: int
    short_us: float
    least_sample_us: float
    most_launches: int
    cache: Cache
    wait_s: float
    stop_s: float
    kernel_wait_ns: int
    settled: float


ON_GPU = Counts(
    warmups=10,
    most_warmups=200,
    samples=50,
    rotations=4,
    runway=64,
    short_us=20.0,
    least_sample_us=400.0,
    most_launches=64,
    cache="warm",
    wait_s=10.0,
    stop_s=10.0,
    # Well below `wait_s`: a tile that waits too long says so itself before the host stops its launch.
    kernel_wait_ns=2 * 10**9,
    settled=0.02,
)
# The clock of the stand-in is virtual, so few samples say as much as many, and each launch takes a hundred thousand times as long.
ON_CPU = replace(
    ON_GPU,
    warmups=1,
    most_warmups=1,
    samples=3,
    rotations=2,
    runway=1,
    least_sample_us=40.0,
    most_launches=2,
    wait_s=900.0,
    settled=0.5,
)


def counts_of(wishes: MeasuringWishes) -> Counts:
    """Return how often things are launched, as usual where *wishes* do not say otherwise."""
    usual = ON_CPU if wishes.on_cpu else ON_GPU
    warmups = wishes.warmups or usual.warmups
    most_warmups = max(warmups, usual.most_warmups)
    return replace(usual, samples=wishes.samples or usual.samples, warmups=warmups, most_warmups=most_warmups, cache=wishes.cache)
