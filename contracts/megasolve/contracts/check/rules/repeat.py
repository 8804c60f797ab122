"""Rules for blocks of groups that repeat, and for the launches that stay over them."""

from __future__ import annotations

from collections.abc import Iterator

from ...files.study import Study
from ...graph.bits import mask_of
from ...graph.dependences import dependences
from ...graph.regions import MOST_GROUPS
from ...model.closest import nearest
from ...model.contract import Contract
from ...model.findings import Fault
from ...model.rules import rule
from ...model.spec import Repeat, Spec
from ..subjects import SPEC, STUDY, Placed
from .wording import listed, repeats


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
    for index, first in repeats([block.name for block in spec.repeats]):
        message = f"'{spec.repeats[index].name}' is the name of repeat {first + 1} already; rename one"
        yield Fault(repeat_unclear, _path(spec, index, "name"), message)


def _path(spec: Spec, index: int, *path: str | int) -> tuple[str | int, ...]:
    return ("repeat", *((index,) if len(spec.repeats) > 1 else ()), *path)


def _misplaced(name: str, names: list[str], taken: dict[str, str], block: Repeat) -> str:
    if name not in names:
        return f"'{name}' is no group of this spec{nearest(name, names)}"
    if name not in taken:
        return ""
    if taken[name] == block.name:
        return f"'{name}' is in this repeat already; calls on the group says how often it runs in each"
    return f"'{name}' is in repeat '{taken[name]}' already; repeats do not nest and share no group"


def _apart(spec: Spec, block: Repeat) -> str:
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


def _between(spec: Spec, block: Repeat) -> tuple[str, ...]:
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


@rule(
    "REF-15",
    "repeat-loop-wrong",
    "A megakernel loops over a repeat that it holds whole, and must if it holds more.",
    on=STUDY,
)
def repeat_loop_wrong(study: Study) -> Iterator[Placed]:
    """One launch of a repeat and its neighbours runs all repeats; one of a part of a repeat is launched again for each."""
    spec = study.spec.value
    for contract in study.contracts:
        one = contract.value
        whole = [block for block in spec.repeats if {*block.groups} <= {*one.members}]
        if one.loops_over_repeats and not whole:
            message = "loops over a repeat, but holds none whole; leave 'repeat' out"
            yield contract, Fault(repeat_loop_wrong, ("loops_over",), message)
        elif one.backend == "megakernel" and whole and not one.loops_over_repeats and (because := _has_to(one, whole[0])):
            message = f"{because}, so its {whole[0].times:,} repeats are one launch: say loops_over: [repeat]"
            yield contract, Fault(repeat_loop_wrong, ("members",), message if not one.loops_over_steps else message[:-1] + ", steps]")


def _has_to(contract: Contract, block: Repeat) -> str:
    if len(contract.members) > len(block.groups):
        return f"holds repeat '{block.name}' and more"
    return f"holds repeat '{block.name}' and loops over the steps" if contract.loops_over_steps else ""
