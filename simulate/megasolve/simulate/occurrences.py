"""The serial order of a composition: which launches run one after the other, and how often (design: *Serial*).

Admission, steps 1..h and the chunk follow each other. A megakernel launch covers a maximal run of consecutive occurrences
that lie in its region; a conventional region's admission, each of its steps and each of its chunks are launches of their
own. Equal steps are kept as one block with a repeat count, so 4,096 steps are as short as 8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from .composition import Composition, Phase, RegionPlan, Work
from .maxplus import Matrix, W, launch, power, sequence

Weigh = Callable[[str, int], W]
DISPATCH_OF = "dispatch of "


@dataclass(frozen=True, slots=True)
class Section:
    """*works* in order, *repeat* times; *is_step* where they are (part of) a producer step."""

    works: tuple[Work, ...]
    repeat: int = 1
    is_step: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """One launch of a region (or, for a stream-launched one, one occurrence of it) and what it runs."""

    region: RegionPlan
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Block:
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
    return not (earlier.sections[-1].is_step and later.sections[0].is_step)


def _joined(runs: Sequence[Run]) -> tuple[Run, ...]:
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
) -> tuple[Block, ...]:
    """Return the launches of admission, *steps* steps and the chunk, one after the other on the whole device."""

    def whole(group: str) -> Work:
        return composition.works[group, Phase.WHOLE]

    before = _runs_of(composition, admission, whole, is_step=False)
    after = _runs_of(composition, chunk, whole, is_step=False)
    if not steps:
        return (Block(_joined(before + after)),)
    step = _runs_of(composition, composition.producers, whole, is_step=True)
    last = _last_step(composition, step, stop_after)
    if len(step) == 1 and step[0].region.persistent and step[0].region.loops:
        earlier = (replace(step[0].sections[0], repeat=steps - 1),) if steps > 1 else ()
        loop = Run(step[0].region, (*earlier, *last[0].sections))
        return (Block(_joined([*before, loop, *after])),)
    if steps == 1:
        return (Block(_joined(before + last + after)),)
    return (Block(_joined(before + step)), Block(tuple(step), steps - 2), Block(_joined(last + after)))


def publication_blocks(composition: Composition) -> tuple[Block, ...]:
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


def cycle_blocks(composition: Composition) -> tuple[Block, ...]:
    """Return the serial order of one steady cycle: the steps of a chunk and the chunk, or one step without a consumer."""
    return serial_blocks(composition, admission=(), steps=composition.schedule.cycle_steps, chunk=composition.consumers)


def separate_admission(composition: Composition) -> tuple[str, ...]:
    """Return the admission groups that run before, and apart from, the launch that holds the producers."""
    producer = composition.region_of(composition.producers[0])
    return tuple(group for group in composition.admission if group not in producer.groups)


def gaps_of(region: RegionPlan) -> str:
    """Return the label of the gaps before the kernels of a region."""
    return f"gaps of {region.name}"


def _work_weight(run: Run, weigh: Weigh[W]) -> W:
    total = weigh("", 0)
    for section in run.sections:
        for work in section.works:
            total = total + weigh(gaps_of(run.region), section.repeat * work.gaps_ps)
            total = total + weigh(work.group, section.repeat * work.service_ps)
    return total


def _one_launch(run: Run, work: W, weigh: Weigh[W]) -> Matrix[W]:
    cost = run.region.dispatch
    label = DISPATCH_OF + run.region.name
    host, exposed = weigh(label, cost.host_ps), weigh(label, cost.exposed_ps)
    return launch(host, exposed, work, host_waits=cost.host_waits)


def equal_kernels(duration_ps: int, launches: int) -> tuple[tuple[int, int], ...]:
    """Split a summed time over its launches as evenly as whole picoseconds allow: (duration, how many), longest first."""
    short, longer = divmod(duration_ps, launches)
    return tuple((each, count) for each, count in ((short + 1, longer), (short, launches - longer)) if count)


def _stream_launches(run: Run, weigh: Weigh[W]) -> Matrix[W]:
    """Return the effect of launching every kernel by itself; a service that sums several kernels counts as equal ones."""
    zero = weigh("", 0)
    steps = []
    for section in run.sections:
        for work in section.works:
            call = [
                power(_one_launch(run, weigh(gaps_of(run.region), service.gap_ps) + weigh(work.group, each), weigh), count, zero)
                for service in work.services
                for each, count in equal_kernels(service.duration_ps, service.launches)
            ]
            steps.append(power(sequence(call, zero), work.calls, zero))
    return sequence(steps, zero)


def run_matrix(run: Run, weigh: Weigh[W]) -> Matrix[W]:
    """Return the effect of one run on (host free, device free)."""
    if run.region.is_streamed:
        return _stream_launches(run, weigh)
    return _one_launch(run, _work_weight(run, weigh), weigh)


def blocks_matrix(blocks: Sequence[Block], weigh: Weigh[W]) -> Matrix[W]:
    """Return the effect of all blocks in order."""
    zero = weigh("", 0)
    return sequence([power(sequence([run_matrix(run, weigh) for run in block.runs], zero), block.repeat, zero) for block in blocks], zero)


def additive_ps(blocks: Sequence[Block]) -> int:
    """Return the sum of all service and dispatch of the blocks, as if nothing ran beside anything (the `additive` ablation)."""
    return sum(block.repeat * sum(_additive_run(run) for run in block.runs) for block in blocks)


def _additive_run(run: Run) -> int:
    works = [(work, section.repeat) for section in run.sections for work in section.works]
    launches = sum(work.launches * repeat for work, repeat in works) if run.region.is_streamed else 1
    dispatch_ps = run.region.dispatch.host_ps + run.region.dispatch.exposed_ps
    return launches * dispatch_ps + sum(repeat * (work.service_ps + work.gaps_ps) for work, repeat in works)
