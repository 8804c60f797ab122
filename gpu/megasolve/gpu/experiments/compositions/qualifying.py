"""Qualifying a candidate: from poisoned memory it computes what the reference does, up to all that the first publication needs."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.simulate.plan.runnable import RunnableCandidate

from ...harness.launching.bench import Bench
from ...harness.launching.qualification import Disqualified, listed
from .device_candidate import DeviceCandidate


@dataclass(frozen=True, slots=True)
class Qualified:
    """A candidate that may be timed, its distance to the reference (relative L2), and what to know of how it ran."""

    design: DeviceCandidate
    relative_l2: float
    notes: tuple[str, ...]


def qualified(bench: Bench, candidate: RunnableCandidate) -> Qualified:
    """Return *candidate*, qualified on the arrays of *bench*.

    A driver may run cooperative launches one after the other although both fit. A split whose sides did not meet is therefore tried with
    ordinary launches, which finish as well: tiles are taken in an order in which any number of resident CTAs finishes.

    Raises
    ------
    Disqualified
        A value is too far from the reference or was never written, a token differs, a counter is not exact, or a launch gave up.
    GpuError
        It cannot be run here.
    """
    design = DeviceCandidate(bench, candidate)
    distance = _qualify(bench, design)
    if not design.is_split:
        note = design.load_note()
        return Qualified(design, distance, () if note is None else (note,))
    beside_us = design.beside_us()
    # Only where it is known that they did not meet: kernels that write no trace say nothing of it.
    if beside_us == 0:
        ordinary = DeviceCandidate(bench, candidate, cooperative=False)
        ordinary_distance, beside_us = _qualify(bench, ordinary), ordinary.beside_us()
        if beside_us:
            note = f"ordinary launches, {_beside(beside_us)}: cooperative ones ran one after the other"
            return Qualified(ordinary, ordinary_distance, (note,))
    return Qualified(design, distance, (_beside(beside_us),))


def _beside(beside_us: float | None) -> str:
    if beside_us is None:
        return "whether its sides ran beside each other is not known: their kernels write no trace"
    if not beside_us:
        return "its sides did not run beside each other when it qualified"
    return f"its sides were there together for {beside_us:.3f} us when it qualified"


def _qualify(bench: Bench, design: DeviceCandidate) -> float:
    bench.arrays.load()
    # Only a split needs the trace, which shows whether its sides met.
    design.run_us(traced=design.is_split)
    compared = bench.arrays.compared()
    if wrong := [*map(str, compared.differences), *design.miscounted()]:
        raise Disqualified(f"{design.candidate.id}: disagrees with the reference: {listed(wrong)}")
    return compared.relative_l2
