"""The outline of a composition: its regions, roles and schedule, before anything of it has a time."""

from __future__ import annotations

from collections.abc import Sequence

from megasolve.contracts import GroupRole

from ..plan.need import Question
from ..plan.region_graph import RegionGraph
from ..plan.running import running_order
from ..plan.sharing import Phase, Sharing
from ..plan.works import Work
from .composition import Capacity, Composition, RegionPlan, RepeatPlan, Schedule


def outline(question: Question, graph: RegionGraph, regions: Sequence[RegionPlan], sharing: Sharing) -> Composition:
    """Return the composition of *regions* under *question* without services, capacities or a bandwidth.

    It says which launches there are, in which order; *graph* is that of the question's spec.
    """
    spec = question.spec
    ordered = running_order(graph, question.unawaited, [region.groups for region in regions])

    def in_order(role: GroupRole) -> tuple[str, ...]:
        names = {group.name for group in spec.groups_of(role)}
        return tuple(name for groups in ordered for name in groups if name in names)

    return Composition(
        regions=tuple(regions),
        admission=in_order("admission"),
        producers=in_order("producer"),
        consumers=in_order("consumer"),
        schedule=_schedule(question),
        sharing=sharing,
        works={(group.name, phase): Work(group.name, group.calls, ()) for group in spec.groups for phase in Phase},
        capacity=Capacity(0, 0, 0),
        bandwidth_bytes_per_s=0,
        unawaited=question.unawaited,
        repeats=tuple(RepeatPlan(block.groups, block.times) for block in spec.repeats),
    )


def _schedule(question: Question) -> Schedule:
    publication, stream = question.spec.publication, question.spec.stream
    return Schedule(
        question.ready_step,
        question.horizon_step,
        publication.group if publication else None,
        question.cycle_steps,
        stream.length_steps if stream else None,
    )
