"""Rules for the region graph of a spec: edges that say nothing, too many regions, and blocks that repeat."""

from __future__ import annotations

from collections.abc import Iterator

from ....graph.awaiting import unawaited
from ....graph.bits import mask_of
from ....graph.dependences import Dependences, dependences, dependences_of
from ....graph.regions import MOST_GROUPS, MOST_REGIONS, region_sets, way, widest_branch
from ....model.closest import nearest
from ....model.findings import Fault, Severity
from ....model.rules import rule
from ....model.spec import Edge, RepeatedBlock, Spec
from ...subjects import SPEC
from ..walking import repeats
from ..wording import listed


@rule("GRP-08", "edge-implied", "No edge follows from others.", on=SPEC)
def edge_implied(spec: Spec) -> Iterator[Fault]:
    """What waits for a group that waits for another one waits for that, too, so a further edge between the two says nothing."""
    if len(spec.groups) > MOST_GROUPS:
        return
    depends = dependences_of(spec)
    for index, edge in enumerate(spec.edges):
        ends = tuple(depends.groups.index(name) if name in depends.groups else -1 for name in (edge.source, edge.target))
        if edge.distance == 0 and ends in depends.implied and not _marks(spec, depends, edge):
            between = " -> ".join(depends.groups[place] for place in way(depends, 1 << ends[0], 1 << ends[1]))
            yield Fault(
                edge_implied,
                ("edges", index),
                f"{edge.source} -> {edge.target} follows from {between} and changes nothing; remove it",
                severity=Severity.WARNING,
            )


def _marks(spec: Spec, depends: Dependences, edge: Edge) -> bool:
    """Whether the edge changes what publication waits for."""
    others = [other for other in spec.edges if other is not edge]
    return edge.kind == "publication" and unawaited(spec, depends, others) != unawaited(spec, depends)


@rule("GRP-09", "too-many-regions", "The groups have at most 200,000 regions.", on=SPEC)
def too_many_regions(spec: Spec) -> Iterator[Fault]:
    """Every region is a decision, and every set of groups that follow one group is a region."""
    if count := _count(spec):
        yield Fault(too_many_regions, ("groups",), f"{count}; join groups that are never cut apart", at_key=True)


def _count(spec: Spec) -> str:
    """Return how many regions there are, where that is too many."""
    groups = len(spec.groups)
    if groups > MOST_GROUPS and any(edge.distance == 0 for edge in spec.edges):
        return f"{groups:,} groups > {MOST_GROUPS:,} that edges may join"
    if is_chain(spec):
        count = groups * (groups + 1) // 2
        return f"{groups:,} groups in a chain have {count:,} regions > {MOST_REGIONS:,}" if count > MOST_REGIONS else ""
    depends = dependences_of(spec)
    place, width = widest_branch(depends)
    branch = f"the widest branch has the {width:,} groups next to '{depends.groups[place]}'"
    if (least := 2**width - 1) > MOST_REGIONS:
        return f"at least {least:,} regions > {MOST_REGIONS:,}: {branch}, of which any set is a region"
    count = len(region_sets(depends, at_most=MOST_REGIONS))
    return f"at least {count:,} regions > {MOST_REGIONS:,}: {branch}" if count > MOST_REGIONS else ""


def is_chain(spec: Spec) -> bool:
    """Whether each group is followed by the next one alone."""
    if not any(edge.distance == 0 for edge in spec.edges) or len(spec.groups) > MOST_GROUPS:
        return True
    direct = dependences_of(spec).direct
    return all(targets == 1 << place + 1 for place, targets in enumerate(direct[:-1]))


@rule("GRP-10", "repeat-unclear", "A repeat holds consecutive groups of one role, which are in no other.", on=SPEC)
def repeat_unclear(spec: Spec) -> Iterator[Fault]:
    """What repeats runs in a row inside its role: nothing else runs between its groups, and it begins and ends there."""
    taken: dict[str, str] = {}
    names = [group.name for group in spec.groups]
    for index, block in enumerate(spec.repeats):
        for place, name in enumerate(block.groups):
            if because := _misplaced(name, names, taken, block):
                yield Fault(repeat_unclear, _path(spec, index, "groups", place), because)
            taken.setdefault(name, block.name)
        if {*block.groups} <= {*names} and (because := _apart(spec, block)):
            yield Fault(repeat_unclear, _path(spec, index, "groups"), because)
    for index, first in repeats(spec.repeats, lambda block: block.name):
        message = f"'{spec.repeats[index].name}' is the name of repeat {first + 1} already; rename one"
        yield Fault(repeat_unclear, _path(spec, index, "name"), message)


def _path(spec: Spec, index: int, *path: str | int) -> tuple[str | int, ...]:
    return ("repeat", *((index,) if len(spec.repeats) > 1 else ()), *path)


def _misplaced(name: str, names: list[str], taken: dict[str, str], block: RepeatedBlock) -> str:
    if name not in names:
        return f"'{name}' is no group of this spec{nearest(name, names)}"
    if name not in taken:
        return ""
    if taken[name] == block.name:
        return f"'{name}' is in this repeat already; calls on the group says how often it runs in each"
    return f"'{name}' is in repeat '{taken[name]}' already; repeats do not nest and share no group"


def _apart(spec: Spec, block: RepeatedBlock) -> str:
    """Return what keeps the groups of a repeat from running in a row."""
    roles = dict.fromkeys(group.role for group in spec.groups if group.name in block.groups)
    if len(roles) > 1:
        return f"{listed(block.groups)} have the roles {listed(roles)}; a repeat stands inside one role: make one for each"
    if between := _between(spec, block):
        return f"{listed(between)} runs between the groups of repeat '{block.name}'; a repeat holds all that runs in it"
    in_order = [group.name for group in spec.groups if group.name in block.groups]
    if in_order != list(dict.fromkeys(block.groups)):
        return f"{listed(block.groups)} are not in the order of the spec; write {listed(in_order)}"
    return ""


def _between(spec: Spec, block: RepeatedBlock) -> tuple[str, ...]:
    names = tuple(group.name for group in spec.groups)
    if len(names) > MOST_GROUPS:
        return ()
    edges = [
        (names.index(edge.source), names.index(edge.target))
        for edge in spec.edges
        if edge.distance == 0 and {edge.source, edge.target} <= {*names} and names.index(edge.source) < names.index(edge.target)
    ]
    depends = dependences(names, tuple(group.role for group in spec.groups), edges)
    mask = mask_of(names.index(name) for name in block.groups)
    return depends.names(depends.hull(mask) & ~mask)
