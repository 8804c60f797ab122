"""Compositions for tests: short ways to write one down, and a Hypothesis strategy that draws random ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hypothesis import strategies as st

from megasolve.simulate import (
    FREE,
    Capacity,
    Composition,
    DispatchCost,
    Graphed,
    KernelGrid,
    Persistent,
    Phase,
    RegionPlan,
    RepeatPlan,
    Schedule,
    SecondStream,
    Service,
    Sharing,
    Streamed,
    Work,
)

BYTE_PER_PS = 10**12
SPLITS = (Sharing.FIXED, Sharing.DYNAMIC)
CAPACITY = Capacity(132, 88, 44)

Works = Mapping[tuple[str, Phase], Work]


def cost(host_ps: int = 0, exposed_ps: int = 0, *, waits: bool = True, gap_ps: int = 0) -> DispatchCost:
    """Return what one launch costs."""
    return DispatchCost(host_ps, exposed_ps, waits, gap_ps)


def megakernel(*groups: str, dispatch: DispatchCost = FREE, loops: bool = True) -> RegionPlan:
    """Return the plan of a persistent region."""
    return RegionPlan(f"m:{'+'.join(groups)}", groups, Persistent(dispatch, loops))


def graphed(*groups: str) -> RegionPlan:
    """Return the plan of a region of conventional kernels that a graph replays."""
    return RegionPlan(f"c:{'+'.join(groups)}", groups, Graphed())


def streamed(*groups: str) -> RegionPlan:
    """Return the plan of a region of conventional kernels, each of them a launch."""
    return RegionPlan(f"c:{'+'.join(groups)}", groups, Streamed())


def work(group: str, ps: int, *, calls: int = 1, hbm_bytes: int = 0, launches: int = 1, dispatch: DispatchCost = FREE) -> Work:
    """Return *calls* calls of one service of *ps* picoseconds each."""
    return Work(group, calls, (Service(group, ps, hbm_bytes, launches, dispatch),))


def works(whole: Iterable[Work], split: Iterable[Work] = ()) -> Works:
    """Return the works by group, those of *split* on a side of a split and on a partition alike."""
    sides = {(one.group, phase): one for one in split for phase in (Phase.SPLIT, Phase.PARTITION)}
    return {(one.group, Phase.WHOLE): one for one in whole} | sides


def composition(
    regions: Sequence[RegionPlan], roles: str, schedule: Schedule, sharing: Sharing, spent: Works, *, capacity: Capacity = CAPACITY
) -> Composition:
    """Return a composition; *roles* names the one-letter groups of admission, producer and consumer, as in ``"P BL C"``."""
    named = Roles.named(roles)
    return Composition(tuple(regions), named.admission, named.producers, named.consumers, schedule, sharing, spent, capacity, BYTE_PER_PS)


@dataclass(frozen=True)
class Roles:
    """Which groups play which role, in order."""

    admission: tuple[str, ...]
    producers: tuple[str, ...]
    consumers: tuple[str, ...]

    @classmethod
    def named(cls, roles: str) -> Roles:
        """Read one-letter groups of admission, producer and consumer; a dash stands for none."""
        return cls(*(tuple(part.strip("-")) for part in roles.split()))

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups in order."""
        return (*self.admission, *self.producers, *self.consumers)


ROLE_SHAPES = ("P BL C", "P B C", "PQ BL CD", "- BL C", "- B C", "P BLM C", "PQ B C")
CONSUMERLESS = ("P BL -", "- B -", "PQ BLM -", "P B -")


@st.composite
def compositions(draw: st.DrawFn, *, sharing: Sharing | None = None, loops: bool | None = None) -> Composition:
    """Draw a composition: short whole durations, so that completions coincide, and costs that may be zero."""
    # Streams inside of roles need to know what may run beside what: whoever tests them says it.
    chosen = sharing or draw(st.sampled_from([one for one in Sharing if one is not Sharing.INSIDE]))
    roles = draw(st.sampled_from(ROLE_SHAPES + (CONSUMERLESS if chosen is Sharing.SERIAL else ())))
    repeats = draw(_repeats(Roles.named(roles)))
    regions = draw(_regions(Roles.named(roles), chosen, loops, repeats))
    spent = {key: found for region in regions for key, found in draw(_works_of(region)).items()}
    capacity = draw(st.sampled_from((CAPACITY, Capacity(132, 80, 52))))
    drawn = composition(regions, roles, draw(_schedules(Roles.named(roles))), chosen, spent, capacity=capacity)
    if chosen is Sharing.STREAMS:
        drawn = replace(drawn, capacity=CAPACITY, second_stream=SecondStream(draw(st.booleans()), draw(st.booleans()), draw(st.booleans())))
    return replace(drawn, repeats=repeats, unawaited=draw(_unawaited(Roles.named(roles), drawn.schedule, repeats)))


@st.composite
def _repeats(draw: st.DrawFn, roles: Roles) -> tuple[RepeatPlan, ...]:
    """Draw no block, or one of consecutive groups of one role."""
    of = [role for role in (roles.admission, roles.producers, roles.consumers) if role]
    role = draw(st.sampled_from(of))
    first = draw(st.integers(0, len(role) - 1))
    groups = role[first : draw(st.integers(first + 1, len(role)))]
    return draw(st.sampled_from(((), (RepeatPlan(groups, draw(st.integers(1, 3))),))))


@st.composite
def _unawaited(draw: st.DrawFn, roles: Roles, schedule: Schedule, repeats: tuple[RepeatPlan, ...]) -> frozenset[str]:
    """Draw groups that the publication does not wait for: rarely any, never the first consumer, the group that it names, or a block."""
    if draw(st.integers(0, 2)):
        return frozenset()
    blocks = {group for block in repeats for group in block.groups}
    free = {*roles.producers, *roles.consumers[1:]} - {schedule.publication} - blocks
    return frozenset(draw(st.sets(st.sampled_from(sorted(free))))) if free else frozenset()


def without_bytes(drawn: Composition) -> Composition:
    """Return the composition with no traffic at all."""
    quiet = {
        key: replace(one, services=tuple(replace(service, hbm_bytes=0) for service in one.services)) for key, one in drawn.works.items()
    }
    return replace(drawn, works=quiet)


@st.composite
def _regions(
    draw: st.DrawFn, roles: Roles, sharing: Sharing, loops: bool | None, repeats: tuple[RepeatPlan, ...]
) -> tuple[RegionPlan, ...]:
    groups = roles.groups
    cuts = {index for index in range(1, len(groups)) if draw(st.booleans())}
    for block in repeats:
        first, last = groups.index(block.groups[0]), groups.index(block.groups[-1]) + 1
        # A region with a part of a block has nothing else.
        cuts |= {first, last} - {0, len(groups)} if cuts & {*range(first + 1, last)} else set()
    is_split, takes = sharing in SPLITS, len(roles.admission) + len(roles.producers)
    if sharing in (Sharing.PARTITION, Sharing.STREAMS):
        cuts.add(takes)
    if is_split:
        makes, takes = len(roles.admission), len(roles.admission) + len(roles.producers)
        cuts -= {*range(makes + 1, takes), *range(takes + 1, len(groups))}
        cuts |= {takes} if sharing is Sharing.DYNAMIC else set()
    parts = [groups[first:last] for first, last in pairwise([0, *sorted(cuts), len(groups)])]
    regions = tuple(draw(_region(part, roles, sharing, loops)) for part in parts)
    if is_split:
        return regions
    if sharing is Sharing.STREAMS:
        # Launches of both sides fit beside each other, or the chunk would wait for a launch that stays for ever.
        regions = tuple(replace(one, sms=_held(one, roles)) for one in regions)
    return tuple(_leaving(one) if any(one.groups == block.groups for block in repeats) and draw(st.booleans()) else one for one in regions)


def _held(region: RegionPlan, roles: Roles) -> int | None:
    if not region.persistent:
        return None
    return CAPACITY.producer if {*roles.producers} & {*region.groups} else CAPACITY.consumer


def _leaving(region: RegionPlan) -> RegionPlan:
    """Return the region launched again for each repeat, where it is a megakernel, and so for each step."""
    if not isinstance(region.launching, Persistent):
        return region
    return replace(region, launching=replace(region.launching, repeats=False, loops=False))


@st.composite
def _region(draw: st.DrawFn, groups: tuple[str, ...], roles: Roles, sharing: Sharing, loops: bool | None) -> RegionPlan:
    shares = sharing in SPLITS and not {*roles.producers, *roles.consumers}.isdisjoint(groups)
    if shares or draw(st.booleans()):
        stays = sharing is Sharing.FIXED or (draw(st.sampled_from((True, True, False))) if loops is None else loops)
        return megakernel(*groups, dispatch=draw(costs()), loops=stays)
    return draw(st.sampled_from((graphed, streamed)))(*groups)


@st.composite
def costs(draw: st.DrawFn) -> DispatchCost:
    """Draw what a launch costs: each part may be nothing."""
    host_ps, exposed_ps = draw(st.sampled_from((0, 0, 1, 3, 12))), draw(st.sampled_from((0, 0, 2, 5)))
    return cost(host_ps, exposed_ps, waits=draw(st.booleans()), gap_ps=draw(st.integers(0, 2)))


@st.composite
def _works_of(draw: st.DrawFn, region: RegionPlan) -> Works:
    found: dict[tuple[str, Phase], Work] = {}
    for group in region.groups:
        calls = draw(st.sampled_from((1, 2, 3, 8)))
        for phase in Phase:
            count = 1 if region.persistent else draw(st.integers(1, 2))
            services = tuple(draw(_services(f"{group}{index}", region)) for index in range(count))
            if phase is Phase.STREAM and not region.persistent:
                services = tuple(replace(one, grid=draw(GRIDS)) for one in services)
            found[group, phase] = Work(group, calls, services)
    return found


GRIDS = st.builds(
    lambda ctas, per_sm: KernelGrid(ctas, per_sm, 132 * per_sm), st.sampled_from((1, 44, 66, 132, 200, 400)), st.integers(1, 2)
)


@st.composite
def _services(draw: st.DrawFn, label: str, region: RegionPlan) -> Service:
    duration_ps = draw(st.integers(1, 9))
    hbm_bytes = draw(st.one_of(st.just(0), st.integers(0, 2 * duration_ps)))
    if region.persistent:
        return Service(label, duration_ps, hbm_bytes)
    return Service(label, duration_ps, draw(st.sampled_from((hbm_bytes, None))), draw(st.integers(1, 3)), draw(costs()))


@st.composite
def _schedules(draw: st.DrawFn, roles: Roles) -> Schedule:
    if roles.consumers:
        ready = draw(st.integers(1, 4))
        horizon = ready + draw(st.integers(0, 5))
        length = draw(st.sampled_from((None, horizon, horizon + 1, horizon + 3)))
        return Schedule(ready, horizon, None, draw(st.integers(1, 4)), length)
    group = draw(st.sampled_from((*roles.admission, *roles.producers)))
    step = 0 if group in roles.admission else draw(st.integers(1, 5))
    return Schedule(step, step, group, 1)
