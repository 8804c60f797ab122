"""Two streams inside of roles, written down from the words of the method and run by the literal Algorithm 1.

It shares no code with the lowering. Each step, admission and the chunk begin when all before them has ended. In them every region has a
stream: the first one, unless what runs last on that does not lead to it by edges. A region waits for what its stream ran before it, and
for whatever leads to it on the other stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from megasolve.simulate import Composition
from tests.support.judges.literal_streams import After, Chains, region_with, waiting


def first_publication(composition: Composition) -> Fraction:
    """Return when the first output is published; no launch may go on over steps, or from role to role."""
    chains, last = Chains(composition), After()
    for groups in _until_publication(composition):
        last = _in_two(chains, groups, last)
    return max((chains.finishes()[one] for one in last), default=Fraction(0))


def cycle(composition: Composition) -> Fraction:
    """Return how long the steps of a cycle and their chunk take when threads that never wait are far ahead."""
    chains = Chains(composition)
    chains.far_ahead = {False, True} - {chains.is_apart(group) for region in composition.regions for group in waiting(composition, region)}
    last: After = (chains.node(0, ()),)
    for groups in (*[composition.producers] * composition.schedule.cycle_steps, composition.consumers):
        last = _in_two(chains, groups, last)
    issued = [one for thread in chains.far_ahead for one in chains.hosts[thread]]
    ends = chains.finishes()
    return max(ends[one] for one in (*last, *issued))


def _until_publication(composition: Composition) -> Iterator[Sequence[str]]:
    awaited = [one for one in composition.producers if one not in composition.unawaited]
    yield [one for one in composition.admission if one not in composition.unawaited]
    for number in range(1, composition.schedule.horizon_step + 1):
        yield awaited if number == composition.schedule.horizon_step else composition.producers
    yield [one for one in composition.consumers if one not in composition.unawaited]


def _in_two(chains: Chains, groups: Sequence[str], before: After) -> After:
    """Append *groups* of one role, region by region, on the stream of each; return what ends them."""
    composition, names = chains.composition, list(dict.fromkeys(region_with(chains.composition, group).name for group in groups))
    second = _on_the_second(composition, names)
    chains.is_alone, ends = not second, dict[str, After]()
    for place, name in enumerate(names):
        members = [group for group in groups if region_with(composition, group).name == name]
        ahead = [one for one in names[:place] if (one in second) == (name in second) or _leads(composition, one, name)]
        ends[name] = chains.occurrence(members, tuple(node for one in ahead for node in ends[one]) or before)
    return tuple(node for nodes in ends.values() for node in nodes) or before


def _on_the_second(composition: Composition, names: Sequence[str]) -> set[str]:
    first, second = list[str](), set[str]()
    for name in names:
        if first and not _leads(composition, first[-1], name):
            second.add(name)
        else:
            first.append(name)
    return second


def _leads(composition: Composition, one: str, other: str) -> bool:
    """Whether some group of the one region is ahead of some group of the other one."""
    regions = {region.name: region.groups for region in composition.regions}
    return any((ahead, behind) not in composition.apart for ahead in regions[one] for behind in regions[other])
