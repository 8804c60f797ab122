"""Rules for entries beside the region graph of a spec: members that are no region, and loops over blocks that repeat."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ....files.study import Study
from ....graph.dependences import dependences_of
from ....graph.regions import why_no_region
from ....model.contract import Contract
from ....model.findings import Fault, Severity
from ....model.rules import rule
from ....model.spec import RepeatedBlock
from ...subjects import STUDY, Placed
from ..group.regions import is_chain
from ..wording import listed


@rule("REF-13", "members-no-region", "Members are a region of the edges of the spec.", on=STUDY)
def members_no_region(study: Study) -> Iterator[Placed]:
    """Groups that no edges join, or between which another one runs, can never be one launch, so nothing uses their entry."""
    spec = study.spec.value
    if is_chain(spec):
        return
    depends = dependences_of(spec)
    for contract in study.contracts:
        members = contract.value.members
        ranks = [depends.groups.index(name) for name in members if name in depends.groups]
        in_order = len(ranks) == len(members) and all(before < after for before, after in pairwise(ranks))
        if in_order and (why := why_no_region(depends, depends.mask(members))):
            message = f"{listed(members)} are no region: {why}; no design uses '{contract.value.entry}'"
            yield contract, Fault(members_no_region, ("members",), message, severity=Severity.WARNING)


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


def _has_to(contract: Contract, block: RepeatedBlock) -> str:
    if len(contract.members) > len(block.groups):
        return f"holds repeat '{block.name}' and more"
    return f"holds repeat '{block.name}' and loops over the steps" if contract.loops_over_steps else ""
