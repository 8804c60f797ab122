"""The robustness of one plan: its chances, its flips, and what to measure next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from megasolve.contracts import PS_PER_SECOND
from megasolve.simulate.predict.worlds.scores import is_slow

from ..goals.constraint import Limit
from ..search.predicates import Judge
from ..select.result import BatchResult, Ranked
from .chances import Chances, chances
from .designs import Designs, TimeInUse, designs_of
from .draws import Drawing, states_something
from .flips import FAR, Flipping
from .moves import MILLION, Move
from .result import CommonFlips, IdChance, NextMeasurement, Robustness, TimeFlips

MOST_NEXT = 5


def robustness(judge: Judge, result: BatchResult, drawing: Drawing) -> Robustness:
    """Return how robust the plan *result* of the question of *judge* is."""
    designs = designs_of(judge, result.ranking)
    found, flipping = chances(designs, drawing), Flipping(designs)
    flips = _every_flip(judge, designs, flipping)
    return Robustness(
        batch=result.batch,
        objective=result.objective,
        best=result.best,
        designs=len(designs.rows),
        is_whole=result.searched is None,
        is_limited=any(isinstance(one, Limit) for one in judge.constraints),
        draws=drawing.draws,
        seed=drawing.seed,
        stated=sum(states_something(one.use.record) for one in designs.times),
        assumed_accuracy=drawing.accuracy,
        chances=() if found is None else tuple(_by_chance(designs, found)),
        flips=flips,
        common=tuple(_common(flipping, designs.times)),
        measure_next=tuple(_next(judge, flips, found)),
    )


def sorted_flips(judge: Judge, ranking: Sequence[Ranked]) -> list[TimeFlips]:
    """Return the times that can turn which design of *ranking* is the best, the nearest flip first."""
    designs = designs_of(judge, ranking)
    found = _every_flip(judge, designs, Flipping(designs))
    return sorted((one for one in found if one.nearest is not None), key=lambda one: one.distance)


def _every_flip(judge: Judge, designs: Designs, flipping: Flipping) -> tuple[TimeFlips, ...]:
    peak = judge.study.device.value.hbm_peak_bytes_per_s
    return tuple(_flips(flipping, number, one, peak) for number, one in enumerate(designs.times))


def _by_chance(designs: Designs, found: Chances) -> Iterator[IdChance]:
    """Yield the chance of each candidate, the likeliest first."""
    for one in sorted(found.shares, key=lambda chance: -chance.share):
        row = designs.rows[one.row]
        yield IdChance(row.id, one.share, row.same_as)


def _flips(flipping: Flipping, number: int, one: TimeInUse, peak_bytes_per_s: int) -> TimeFlips:
    # No time is shorter than its bytes take at the peak of the memory.
    least = max(-(-(one.use.record.hbm_bytes or 0) * PS_PER_SECOND // peak_bytes_per_s), 1)
    if any(is_slow(design.composition) for design in flipping.designs.designs):
        # Beside a chunk there would be no end of steps that take next to nothing.
        least = max(least, one.ps // FAR)
    return TimeFlips(one, *flipping.flips(Move((number,), (one.ps,), min(least, one.ps), one.ps * FAR)))


def _common(flipping: Flipping, times: Sequence[TimeInUse]) -> Iterator[CommonFlips]:
    """Yield how far all times of each kind of evidence may move together: all of them, and those of each backend."""
    for evidence in dict.fromkeys(one.evidence for one in times):
        of_kind = [(number, one) for number, one in enumerate(times) if one.evidence == evidence]
        backends = list(dict.fromkeys(one.key.backend for _, one in of_kind))
        for backend in (None, *(backends if len(backends) > 1 else ())):
            some = [(number, one.ps) for number, one in of_kind if backend in (None, one.key.backend)]
            if len(some) > 1:
                numbers, now = zip(*some, strict=True)
                below, above = flipping.flips(Move(numbers, now, MILLION // FAR, MILLION * FAR))
                yield CommonFlips(evidence, backend, len(some), below, above)


def _next(judge: Judge, flips: Sequence[TimeFlips], found: Chances | None) -> Iterator[NextMeasurement]:
    """Yield the times whose measurement would settle most; where nothing is stated, those that need be off the least."""
    if found is None:
        # What was measured is known as well as it can be, as long as nobody says how well.
        turning = sorted(
            (one for one in flips if one.nearest is not None),
            key=lambda one: (one.time.evidence == "measured", one.distance, one.time.ps),
        )
        yield from (NextMeasurement(one, None, None, _command(judge, one.time)) for one in turning[:MOST_NEXT])
        return
    now = max((one.share for one in found.shares), default=0.0)
    settled = [(found.settled_by(number), one) for number, one in enumerate(flips) if number in found.times]
    # Of those that settle as much, the cheapest to run.
    best = sorted(((then, one) for then, one in settled if then > now), key=lambda pair: (-round(pair[0], 3), pair[1].time.ps))
    yield from (NextMeasurement(one, now, then, _command(judge, one.time)) for then, one in best[:MOST_NEXT])


def _command(judge: Judge, time: TimeInUse) -> str | None:
    """Return what measures the time, where its contract says how to run the kernel."""
    contract = next((one.value for one in judge.study.contracts if one.value.entry == time.key.entry), None)
    if contract is None or contract.workload is None:
        return None
    return f"megasolve measure {judge.study.spec.file} --group {time.key.group} --batch {time.key.batch}"
