"""The structure of a trace as the groups of a new study: what its steps are, which kernels repeat in them, and who plays which role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...model.spec import GroupRole
from ...model.wording import counted
from ...observe.observation import AttributedBy
from ...observe.structure.anatomy import Anatomy, anatomy
from ...observe.timelines.timeline import timeline
from ...profiles.errors import ProfileRefused
from ...profiles.execution import Execution
from ...profiles.wording import listed
from .cut import AFTER, BEFORE, Cut, RepeatedGroups, cut_groups
from .naming import place_name


@dataclass(frozen=True, slots=True)
class Structure:
    """What a trace is made of, as a new study says it: *steps* is how many one request has, where order alone told them.

    *notes* say what was asked for and is not in it.
    """

    attribution: AttributedBy
    roles: Mapping[str, GroupRole]
    repeats: tuple[RepeatedGroups, ...]
    anatomy: Anatomy
    steps: int = 1
    notes: tuple[str, ...] = ()


def around_steps(executions: Sequence[Execution], asked: AttributedBy, roles: Mapping[str, GroupRole]) -> Structure:
    """Return the groups that were *asked* for, of which some stand before or after the steps, in steps that order alone may tell.

    Raises as `structured` does.
    """
    found = _anatomy(executions, asked)
    return Structure(replace(asked, steps=found.steps_by), roles, (), found, found.steps if found.after else 1)


def structured(executions: Sequence[Execution], asked: AttributedBy, cut: Cut) -> Structure:
    """Return the structure of the one timeline among *executions*, cut as finely as *cut* says.

    Raises
    ------
    ProfileRefused
        There is no timeline, the steps that were asked for are not in it, or kernels of several streams start in ever another order.
    """
    found = _anatomy(executions, asked)
    if found.scattered and cut is not Cut.PHASES:
        raise ProfileRefused(
            executions[0].file, f"{found.scattered}, so its layers cannot be cut out; --cut phases, or groups by --group, can"
        )
    cut_up = cut_groups(found, cut, [place_name(kernel) for kernel in found.pattern])
    roles: dict[str, GroupRole] = {BEFORE: "admission", AFTER: "consumer"}
    steps = found.steps if found.after else 1
    notes = (
        () if found.blocks or cut is Cut.PHASES else (f"no kernels of a step repeat, so it has no layers: --cut {cut.value} finds none",)
    )
    return Structure(replace(asked, rules=cut_up.rules, steps=found.steps_by), roles, cut_up.repeats, found, steps, notes)


def proposal(executions: Sequence[Execution], asked: AttributedBy) -> str | None:
    """Return what could be cut of a trace that nobody cut, None where nothing in it repeats."""
    try:
        found = _anatomy(executions, asked)
    except ProfileRefused:
        return None
    if not found.blocks:
        return None
    blocks = listed(f"{block.times:,} repeats of {counted(block.period, 'kernel')}" for block in found.blocks)
    around = f"; {counted(found.steps, 'step')} between what is before and after them" if found.before or found.after else ""
    return f"structure: a step has {blocks}{around}: --cut phases, layers, modules or kernels makes groups of it"


def named_alike(structure: Structure, first: Structure) -> Structure:
    """Return *structure* with the names of *first* where both are cut at the same places: other batches run kernels of other names."""
    mine, theirs = ([(rule.places, rule.part) for rule in one.attribution.rules] for one in (structure, first))
    if mine != theirs:
        return structure
    attribution = replace(structure.attribution, rules=first.attribution.rules)
    return replace(structure, attribution=attribution, repeats=first.repeats)


def _anatomy(executions: Sequence[Execution], asked: AttributedBy) -> Anatomy:
    timelines = [execution for execution in executions if execution.is_timeline and execution.kernels]
    if not timelines:
        raise ProfileRefused(executions[0].file, "gives no kernels in their order, so no structure can be found in it")
    return anatomy(timelines[0], timeline(timelines[0], asked.device), asked.steps)
