"""What may be asked: batches that the spec lists, and objectives and ablations by value or by name."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TypeVar

from megasolve.contracts import MegasolveError, Spec, widest_branch
from megasolve.simulate import Objective
from megasolve.simulate.plan.counting import count_covers
from megasolve.simulate.plan.region_graph import region_graph

E = TypeVar("E", bound=Enum)
MOST_COVERS = 100_000
# Nine groups that follow one group can be put into regions in 610,182 ways, eight in 89,918.
_WIDEST = 8


class SpaceTooLarge(MegasolveError):
    """More covers than can be ranked one by one."""


class TooManyTimes(SpaceTooLarge):
    """More times than anybody would wait for, none of which a record has."""


class UnknownName(MegasolveError):
    """No objective, or no ablation, has this name."""


def named(kind: type[E], value: E | str) -> E:
    """Return the member of *kind* that *value* is or names.

    Raises
    ------
    UnknownName
        *value* names none.
    """
    if isinstance(value, kind):
        return value
    try:
        return kind(value)
    except ValueError:
        allowed = ", ".join(str(member.value) for member in kind)
        raise UnknownName(f"no {kind.__name__.lower()} {value!r}; there are {allowed}") from None


def asked_objective(spec: Spec, objective: Objective | str | None) -> Objective:
    """Return the objective that is asked for, as a value or by name; what the spec minimises first where none is.

    Raises
    ------
    UnknownName
        No objective has that name.
    """
    return Objective(spec.objective) if objective is None else named(Objective, objective)


def asked_objectives(spec: Spec, asked: Objective | str | Iterable[Objective | str] | None) -> tuple[Objective, ...]:
    """Return the objectives that are asked for in order of priority, each once; those of the spec where none are.

    Raises
    ------
    UnknownName
        No objective has that name.
    """
    if isinstance(asked, str | Objective):
        asked = (asked,)
    found = tuple(dict.fromkeys(named(Objective, one) for one in asked or ()))
    return found or tuple(map(Objective, spec.objectives))


def refuse_wide_graph(spec: Spec) -> None:
    """Refuse a spec whose region graph has a branch so wide that its regions cannot be listed.

    Raises
    ------
    SpaceTooLarge
        Its groups have too many regions.
    """
    _, width = widest_branch(region_graph(spec).dependences)
    if width > _WIDEST:
        raise SpaceTooLarge(f"the {width} groups of one branch have too many regions to list; join groups that are never cut apart")


def refuse_huge_space(spec: Spec) -> None:
    """Refuse a spec with more than `MOST_COVERS` covers before any of them is made.

    Raises
    ------
    SpaceTooLarge
        Its groups have too many.
    """
    refuse_wide_graph(spec)
    graph = region_graph(spec)
    count = count_covers(graph)
    if count > MOST_COVERS:
        raise SpaceTooLarge(f"{len(graph.groups)} groups have {count:,} covers > {MOST_COVERS:,}; join groups that are never cut apart")
