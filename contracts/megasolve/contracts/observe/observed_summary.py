"""What can be learnt from a file that gives kernels or layers only in sum: times without order, steps or idle time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model.wording import counted
from ..profiles.errors import ProfileRefused
from ..profiles.execution import Execution, Granularity, Summary
from ..profiles.totals import as_run
from ..profiles.wording import listed, microseconds, shortened
from .attribution import matching_rule
from .join import Join, join
from .observation import AttributedBy, Observation, ObservedFile, ObservedGroup, ObservedKernel, StepsBy, Unattributed


def observe_summary(
    execution: Execution,
    iterations_ps: Sequence[int],
    profiled: Sequence[Execution],
    attribution: AttributedBy,
    sources: tuple[ObservedFile, ...],
) -> Observation:
    """Return what *execution* says in sum.

    A kernel is launched as often as it has instances, and takes their summed time, as the whole profile is one step. A layer is launched
    once, as its instances are iterations: their median stands for it, where the file has one. Of several steps a kernel takes its part of
    the summed time in each; what runs in less than every second of them is no part of one.

    Raises
    ------
    ProfileRefused
        Steps, annotations or a device were asked for, or no kernel has a positive time.
    """
    _refuse_what_needs_a_timeline(execution, attribution)
    is_layers = execution.granularity is Granularity.LAYER
    timed = _timed(execution, is_layers=is_layers)
    joined = join((summary.shape for summary in timed), profiled)
    found = list(enumerate((summary, _group_of(summary, attribution)) for summary in timed))
    steps = 1 if is_layers else attribution.steps.count
    often = [(order, one) for order, one in found if 2 * one[0].instances >= steps]
    rare = [summary for _, (summary, group) in found if group is not None and 2 * summary.instances < steps]
    kernels = [
        _kernel(summary, group, joined, order, is_layers=is_layers, steps=steps) for order, (summary, group) in often if group is not None
    ]
    groups = dict.fromkeys(rule.group for rule in attribution.rules if any(kernel.group == rule.group for kernel in kernels))
    return Observation(
        kernels=tuple(sorted(kernels, key=lambda kernel: list(groups).index(kernel.group))),
        steps=0,
        groups=tuple(_group(group, kernels) for group in groups),
        unattributed=(
            *_left_over(execution.granularity, [summary for _, (summary, group) in found if group is None], "no rule takes it"),
            *_left_over(execution.granularity, rare, f"launched less often than in every second of {steps:,} steps"),
        ),
        span_samples_ps=tuple(iterations_ps),
        device=execution.devices[0] if len(execution.devices) == 1 else None,
        rank=execution.rank,
        notes=(*_notes(execution, timed, kernels, is_layers=is_layers), *joined.notes),
        sources=sources,
        steps_by=attribution.steps if steps > 1 else StepsBy(),
    )


def _group_of(summary: Summary, attribution: AttributedBy) -> str | None:
    rule = matching_rule(summary.shape.name, attribution.rules)
    return None if rule is None else attribution.rules[rule].group


def _left_over(granularity: Granularity, summaries: Sequence[Summary], because: str) -> tuple[Unattributed, ...]:
    left = (Unattributed(summary.shape, *as_run(granularity, summary), because) for summary in summaries)
    return tuple(sorted(left, key=lambda one: -one.total_ps))


def _refuse_what_needs_a_timeline(execution: Execution, attribution: AttributedBy) -> None:
    for reason in _beyond_sums(attribution):
        missing = "a trace of single kernels is needed (nsys export --type sqlite, or a PyTorch trace)"
        raise ProfileRefused(execution.file, f"{reason}: {missing}")


def _beyond_sums(attribution: AttributedBy) -> Iterator[str]:
    if not attribution.steps.is_whole or attribution.steps.skip:
        yield "gives times only in sum, so steps cannot be found in it"
    if attribution.device is not None:
        yield f"does not say on which GPU its kernels ran, so those of GPU {attribution.device} are unknown"
    if ranges := [rule.group for rule in attribution.rules if rule.ranges]:
        yield f"has no annotations for {listed(f'group {group}' for group in ranges)}"


def _timed(execution: Execution, *, is_layers: bool) -> list[Summary]:
    """Return what takes time; a layer may launch nothing, a kernel without time is an error."""
    timed = [summary for summary in execution.summaries if summary.total_ps > 0]
    timeless = [summary for summary in execution.summaries if summary.total_ps <= 0]
    if timeless and not (timed and is_layers):
        first = timeless[0]
        name, instances = shortened(first.shape.name), counted(first.instances, "instance")
        raise ProfileRefused(execution.file, f"row {first.row}: '{name}' has no positive duration in {instances}; record it again")
    return timed


def _kernel(summary: Summary, group: str, joined: Join, order: int, *, is_layers: bool, steps: int) -> ObservedKernel:
    launches = 1 if is_layers else max(1, (2 * summary.instances + steps) // (2 * steps))
    match = joined.matches.get(summary.shape)
    per_launch = None if match is None else match.hbm_bytes
    return ObservedKernel(
        group=group,
        shape=summary.shape if match is None else match.shape,
        launches=launches,
        samples_ps=(_one_ps(summary) if is_layers else max(1, (2 * summary.total_ps + steps) // (2 * steps)),),
        hbm_bytes=None if per_launch is None else per_launch * launches,
        order=order,
    )


def _one_ps(summary: Summary) -> int:
    """Return the time of one instance: the median, or else what is left is the mean, to the nearest picosecond."""
    mean_ps = (2 * summary.total_ps + summary.instances) // (2 * summary.instances)
    return summary.median_ps or max(mean_ps, 1)


def _group(group: str, kernels: Sequence[ObservedKernel]) -> ObservedGroup:
    return ObservedGroup(group, 1, 1, (sum(kernel.samples_ps[0] for kernel in kernels if kernel.group == group),))


def _notes(execution: Execution, timed: Sequence[Summary], kernels: Sequence[ObservedKernel], *, is_layers: bool) -> list[str]:
    notes = [*execution.notes, f"{execution.format.value}: times in sum only, so idle time, steps and warm-up are unknown"]
    if is_layers:
        used, stated = sum(kernel.samples_ps[0] for kernel in kernels), sum(summary.total_ps for summary in timed) // timed[0].instances
        notes.append(f"medians of single layers add up to {microseconds(used)}, all measured ones to {microseconds(stated)}")
    else:
        used = sum(_one_ps(summary) * summary.instances for summary in timed)
        stated = sum(summary.total_ps for summary in timed)
        notes.append(f"kernels take {microseconds(stated)} in sum, slow launches included; at their medians {microseconds(used)}")
    return notes
