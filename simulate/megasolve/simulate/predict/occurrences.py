"""The serial order of a composition: which launches run one after the other, and how often (design: *Serial*).

Admission, steps 1..h and the chunk follow each other. A megakernel launch covers a maximal run of consecutive occurrences
that lie in its region; a conventional region's admission, each of its steps and each of its chunks are launches of their
own. Equal steps are kept as one block with a repeat count, and so are the
repeats of a block inside a step: 4,096 steps of 28 layers are as short as 2 of 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ..plan.launches import Launched, Series
from ..plan.works import Section, Work
from .composition import Composition, RegionPlan, RepeatPlan, occurring
from .maxplus import Matrix, W, launch, power, sequence

Weigh = Callable[[str, int], W]
DISPATCH_OF = "dispatch of "
GAPS_OF = "gaps of "


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
            yield from series.each()


@dataclass(frozen=True, slots=True)
class Runs:
    """Launches in order, the whole list *repeat* times; a part of it may be a block again."""

    runs: tuple[Run | Runs, ...]
    repeat: int = 1

    def each_run(self) -> Iterator[Run]:
        """Yield the runs one by one."""
        for _ in range(self.repeat):
            for one in self.runs:
                if isinstance(one, Run):
                    yield one
                else:
                    yield from one.each_run()


def _runs_of(composition: Composition, groups: Sequence[str], *, is_step: bool = False) -> list[Run | Runs]:
    """Return one occurrence of *groups*, region by region; what each repeat of a block launches again is a block of its own."""

    def repeats(group: str) -> RepeatPlan | None:
        block = composition.repeat_of(group)
        return block if composition.region_of(group).is_inside(block) else None

    found: list[Run | Runs] = []
    for block, members in groupby(groups, key=repeats):
        runs = tuple(_run(composition, region, tuple(part), block, is_step) for region, part in groupby(members, key=composition.region_of))
        found += runs if block is None else (Runs(runs, block.times),)
    return found


def _run(composition: Composition, region: RegionPlan, groups: Sequence[str], block: RepeatPlan | None, is_step: bool) -> Run:
    def work(group: str) -> Work:
        return composition.works[group, composition.phase_of(group)]

    works = tuple(map(work, groups)) if block else occurring(groups, work, composition.repeats)
    return Run(region, (Section(works, is_step=is_step),))


def _may_join(earlier: Run | Runs, later: Run | Runs) -> bool:
    """Whether one launch covers both; the steps of a looping one are a single run already."""
    if isinstance(earlier, Runs) or isinstance(later, Runs) or earlier.region != later.region or not earlier.region.persistent:
        return False
    # Two steps join only on the device: a region that does not loop comes back to the host between them.
    return not (earlier.sections[-1].is_step and later.sections[0].is_step)


def joined(runs: Sequence[Run | Runs]) -> tuple[Run | Runs, ...]:
    """Join consecutive occurrences that one megakernel launch covers."""
    joined: list[Run | Runs] = []
    for run in runs:
        if joined and isinstance(run, Run) and isinstance(before := joined[-1], Run) and _may_join(before, run):
            joined[-1] = replace(before, sections=before.sections + run.sections)
        else:
            joined.append(run)
    return tuple(joined)


def serial_blocks(
    composition: Composition,
    *,
    admission: Sequence[str],
    steps: int,
    chunk: Sequence[str],
    last_step: Sequence[str] | None = None,
) -> tuple[Runs, ...]:
    """Return the launches of admission, *steps* steps and the chunk, one after the other on the whole device.

    The last of the steps runs only *last_step*, where that is said.
    """
    if last_step is not None and not last_step:
        steps, last_step = max(steps - 1, 0), None
    before, after = _runs_of(composition, admission), _runs_of(composition, chunk)
    if not steps:
        return (Runs(joined(before + after)),)
    step = _runs_of(composition, composition.producers, is_step=True)
    last = step if last_step is None else _runs_of(composition, last_step, is_step=True)
    # All producers in one looping launch: the steps are one run, and admission and chunk may ride along.
    if len(step) == 1 and isinstance(only := step[0], Run) and only.region.loops:
        return (Runs(joined([*before, persisting(only, last, steps), *after])),)
    if steps == 1:
        return (Runs(joined(before + last + after)),)
    # Only the first step may join admission, and only the last the chunk; all between are equal, and are a power.
    return (Runs(joined(before + step)), Runs(tuple(step), steps - 2), Runs(joined(last + after)))


def step_blocks(composition: Composition, groups: Sequence[str], steps: int = 1) -> tuple[Runs, ...]:
    """Return the launches of some *groups* of *steps* steps, over which none goes on."""
    return (Runs(tuple(_runs_of(composition, groups, is_step=True)), steps),)


def persisting(step: Run | Runs, last: Sequence[Run | Runs], steps: int) -> Run:
    """Return the one launch of *steps* steps, each of them *step*, the last of them *last*.

    Raises
    ------
    TypeError
        The step is not one launch.
    """
    if not isinstance(step, Run):
        raise TypeError("what each repeat launches again is no launch that goes on over the steps")
    earlier = (replace(step.sections[0], repeat=steps - 1),) if steps > 1 else ()
    return Run(step.region, (*earlier, *(section for run in last if isinstance(run, Run) for section in run.sections)))


def publication_blocks(composition: Composition) -> tuple[Runs, ...]:
    """Return the serial order of everything that the first publication waits for."""
    return serial_blocks(
        composition,
        admission=composition.awaited(composition.admission),
        steps=composition.schedule.horizon_step,
        chunk=composition.awaited(composition.consumers),
        last_step=composition.awaited(composition.producers),
    )


def ready_blocks(composition: Composition) -> tuple[Runs, ...]:
    """Return the serial order of everything until step r; that is the last step before the first publication where h = r."""
    schedule = composition.schedule
    is_last = schedule.horizon_step == schedule.ready_step
    last_step = composition.awaited(composition.producers) if is_last else None
    return serial_blocks(composition, admission=composition.admission, steps=schedule.ready_step, chunk=(), last_step=last_step)


def cycle_blocks(composition: Composition) -> tuple[Runs, ...]:
    """Return the serial order of one steady cycle: the steps of a chunk and the chunk, or one step without a consumer."""
    return serial_blocks(composition, admission=(), steps=composition.schedule.cycle_steps, chunk=composition.consumers)


def gaps_of(region: RegionPlan) -> str:
    """Return the label of the gaps before the kernels of a region."""
    return GAPS_OF + region.name


def _launch_matrix(region: RegionPlan, launched: Launched, weigh: Weigh[W]) -> Matrix[W]:
    """Return the effect of one launch on (host free, device free)."""
    cost, label, gaps = launched.cost, DISPATCH_OF + region.name, gaps_of(region)
    work = weigh(gaps, cost.gap_ps)
    for section in launched.sections:
        for one, count in section.counted():
            work = work + weigh(gaps, count * one.gaps_ps)
            work = work + weigh(one.group, count * one.service_ps)
    return launch(weigh(label, cost.host_ps), weigh(label, cost.exposed_ps), work, host_waits=cost.host_waits)


def _series_matrix(region: RegionPlan, series: Series, weigh: Weigh[W]) -> Matrix[W]:
    zero = weigh("", 0)
    each = [
        power(_launch_matrix(region, one, weigh), one.times, zero) if isinstance(one, Launched) else _series_matrix(region, one, weigh)
        for one in series.launches
    ]
    return power(sequence(each, zero), series.times, zero)


def run_matrix(run: Run, weigh: Weigh[W]) -> Matrix[W]:
    """Return the effect of one run on (host free, device free)."""
    return sequence([_series_matrix(run.region, series, weigh) for series in run.launches], weigh("", 0))


def blocks_matrix(blocks: Sequence[Runs], weigh: Weigh[W]) -> Matrix[W]:
    """Return the effect of all blocks in order."""
    return sequence([_block_matrix(block, weigh) for block in blocks], weigh("", 0))


def _block_matrix(block: Runs, weigh: Weigh[W]) -> Matrix[W]:
    zero = weigh("", 0)
    each = [run_matrix(run, weigh) if isinstance(run, Run) else _block_matrix(run, weigh) for run in block.runs]
    return power(sequence(each, zero), block.repeat, zero)


def additive_ps(blocks: Sequence[Runs]) -> int:
    """Return the sum of all service and dispatch of the blocks, as if nothing ran beside anything (the `additive` ablation)."""
    return sum(block.repeat * sum(_additive_run(run) for run in block.runs) for block in blocks)


def _additive_run(run: Run | Runs) -> int:
    return additive_ps([run]) if isinstance(run, Runs) else sum(map(_additive_series, run.launches))


def _additive_series(series: Series) -> int:
    each = (one.times * _additive_launch(one) if isinstance(one, Launched) else _additive_series(one) for one in series.launches)
    return series.times * sum(each)


def _additive_launch(launched: Launched) -> int:
    works = (pair for section in launched.sections for pair in section.counted())
    return launched.cost.total_ps + sum(count * (work.service_ps + work.gaps_ps) for work, count in works)
