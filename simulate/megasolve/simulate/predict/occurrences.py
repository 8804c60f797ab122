"""The serial order of a composition: which launches run one after the other, and how often (design: *Serial*).

Admission, steps 1..h and the chunk follow each other. A megakernel launch covers a maximal run of consecutive occurrences
that lie in its region; a conventional region's admission, each of its steps and each of its chunks are launches of their
own. Equal steps are kept as one block with a repeat count, so 4,096 steps are as short as 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, repeat

from ..plan.launches import Launched, Series
from ..plan.sharing import Phase
from ..plan.works import Section, Work
from .composition import Composition, RegionPlan
from .maxplus import Matrix, W, launch, power, sequence

Weigh = Callable[[str, int], W]
DISPATCH_OF = "dispatch of "


@dataclass(frozen=True, slots=True)
class Run:
    """One persistent launch of a region, or one occurrence of a conventional one, and what it runs."""

    region: RegionPlan
    sections: tuple[Section, ...]

    @property
    def launches(self) -> tuple[Series, ...]:
        """The launches that it consists of."""
        return self.region.launching.launches(self.sections)

    def each_launch(self) -> Iterator[Launched]:
        """Yield the launches one by one."""
        for series in self.launches:
            for _ in range(series.times):
                for one in series.launches:
                    yield from repeat(one, one.times)


@dataclass(frozen=True, slots=True)
class Runs:
    """Launches in order, the whole list *repeat* times."""

    runs: tuple[Run, ...]
    repeat: int = 1


def _runs_of(composition: Composition, groups: Sequence[str], works: Callable[[str], Work], *, is_step: bool) -> list[Run]:
    return [
        Run(region, (Section(tuple(works(group) for group in members), is_step=is_step),))
        for region, members in groupby(groups, key=composition.region_of)
    ]


def _may_join(earlier: Run, later: Run) -> bool:
    """Whether one launch covers both; the steps of a looping one are a single run already."""
    if earlier.region != later.region or not earlier.region.persistent:
        return False
    # Two steps join only on the device: a region that does not loop comes back to the host between them.
    return not (earlier.sections[-1].is_step and later.sections[0].is_step)


def joined(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Join consecutive occurrences that one megakernel launch covers."""
    joined: list[Run] = []
    for run in runs:
        if joined and _may_join(joined[-1], run):
            joined[-1] = replace(run, sections=joined[-1].sections + run.sections)
        else:
            joined.append(run)
    return tuple(joined)


def _last_step(composition: Composition, step: list[Run], stop_after: str | None) -> list[Run]:
    """Return the last step, cut behind the group that the publication waits for."""
    if stop_after not in composition.producers:
        return step
    kept = composition.producers[: composition.producers.index(stop_after) + 1]
    return _runs_of(composition, kept, lambda group: composition.works[group, Phase.WHOLE], is_step=True)


def serial_blocks(
    composition: Composition,
    *,
    admission: Sequence[str],
    steps: int,
    chunk: Sequence[str],
    stop_after: str | None = None,
) -> tuple[Runs, ...]:
    """Return the launches of admission, *steps* steps and the chunk, one after the other on the whole device."""

    def whole(group: str) -> Work:
        return composition.works[group, Phase.WHOLE]

    before = _runs_of(composition, admission, whole, is_step=False)
    after = _runs_of(composition, chunk, whole, is_step=False)
    if not steps:
        return (Runs(joined(before + after)),)
    step = _runs_of(composition, composition.producers, whole, is_step=True)
    last = _last_step(composition, step, stop_after)
    # All producers in one looping launch: the steps are one run, and admission and chunk may ride along.
    if len(step) == 1 and step[0].region.loops:
        earlier = (replace(step[0].sections[0], repeat=steps - 1),) if steps > 1 else ()
        loop = Run(step[0].region, (*earlier, *last[0].sections))
        return (Runs(joined([*before, loop, *after])),)
    if steps == 1:
        return (Runs(joined(before + last + after)),)
    # Only the first step may join admission, and only the last the chunk; all between are equal, and are a power.
    return (Runs(joined(before + step)), Runs(tuple(step), steps - 2), Runs(joined(last + after)))


def publication_blocks(composition: Composition) -> tuple[Runs, ...]:
    """Return the serial order of everything that the first publication waits for."""
    schedule, admission = composition.schedule, composition.admission
    if schedule.publication in admission:
        admission = admission[: admission.index(schedule.publication) + 1]
    return serial_blocks(
        composition,
        admission=admission,
        steps=schedule.horizon_step,
        chunk=composition.consumers,
        stop_after=schedule.publication,
    )


def cycle_blocks(composition: Composition) -> tuple[Runs, ...]:
    """Return the serial order of one steady cycle: the steps of a chunk and the chunk, or one step without a consumer."""
    return serial_blocks(composition, admission=(), steps=composition.schedule.cycle_steps, chunk=composition.consumers)


def separate_admission(composition: Composition) -> tuple[str, ...]:
    """Return the admission groups that run before, and apart from, the launch that holds the producers."""
    producer = composition.region_of(composition.producers[0])
    return tuple(group for group in composition.admission if group not in producer.groups)


def gaps_of(region: RegionPlan) -> str:
    """Return the label of the gaps before the kernels of a region."""
    return f"gaps of {region.name}"


def _launch_matrix(region: RegionPlan, launched: Launched, weigh: Weigh[W]) -> Matrix[W]:
    """Return the effect of one launch on (host free, device free)."""
    cost, label, gaps = launched.cost, DISPATCH_OF + region.name, gaps_of(region)
    work = weigh(gaps, cost.gap_ps)
    for section in launched.sections:
        for one in section.works:
            work = work + weigh(gaps, section.repeat * one.gaps_ps)
            work = work + weigh(one.group, section.repeat * one.service_ps)
    return launch(weigh(label, cost.host_ps), weigh(label, cost.exposed_ps), work, host_waits=cost.host_waits)


def _series_matrix(region: RegionPlan, series: Series, weigh: Weigh[W]) -> Matrix[W]:
    zero = weigh("", 0)
    each = [power(_launch_matrix(region, one, weigh), one.times, zero) for one in series.launches]
    return power(sequence(each, zero), series.times, zero)


def run_matrix(run: Run, weigh: Weigh[W]) -> Matrix[W]:
    """Return the effect of one run on (host free, device free)."""
    return sequence([_series_matrix(run.region, series, weigh) for series in run.launches], weigh("", 0))


def blocks_matrix(blocks: Sequence[Runs], weigh: Weigh[W]) -> Matrix[W]:
    """Return the effect of all blocks in order."""
    zero = weigh("", 0)
    return sequence([power(sequence([run_matrix(run, weigh) for run in block.runs], zero), block.repeat, zero) for block in blocks], zero)


def additive_ps(blocks: Sequence[Runs]) -> int:
    """Return the sum of all service and dispatch of the blocks, as if nothing ran beside anything (the `additive` ablation)."""
    return sum(block.repeat * sum(_additive_run(run) for run in block.runs) for block in blocks)


def _additive_run(run: Run) -> int:
    return sum(series.times * sum(one.times * _additive_launch(one) for one in series.launches) for series in run.launches)


def _additive_launch(launched: Launched) -> int:
    sections = launched.sections
    return launched.cost.total_ps + sum(one.repeat * (work.service_ps + work.gaps_ps) for one in sections for work in one.works)
