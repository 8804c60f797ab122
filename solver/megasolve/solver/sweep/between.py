"""Designs between two others: the steps by which a region on conventional kernels becomes a megakernel.

Each is a composition that nobody could build, with one more mechanism of the megakernel in it than the one before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from megasolve.simulate import FREE, Composition, Deadlock, Objective, Phase, Work, score
from megasolve.simulate.predict.effects import Effects

from ..search.kept import SolverFault
from ..select.times import Ps

Works = Mapping[tuple[str, Phase], Work]


def without_launches(composition: Composition, groups: Collection[str]) -> Composition:
    """Return *composition* where the conventional kernels of *groups* are launched at no cost."""
    return replace(composition, works={key: _free(work) if key[0] in groups else work for key, work in composition.works.items()})


def with_works(composition: Composition, groups: Collection[str], works: Works) -> Composition:
    """Return *composition* where *groups* take the times that they have in *works*, on the whole device where these know it."""
    known = {**{group: work for (group, _), work in works.items()}, **_whole(works)}
    return replace(
        composition,
        works={key: known[key[0]] if key[0] in groups and key[0] in known else work for key, work in composition.works.items()},
    )


def with_free_launch(composition: Composition, name: str) -> Composition:
    """Return *composition* where the launches of the region *name* cost nothing."""
    regions = (replace(one, launching=one.launching.free()) if one.name == name else one for one in composition.regions)
    return replace(composition, regions=tuple(regions))


def without_contention(composition: Composition) -> Composition:
    """Return *composition* where memory traffic slows nothing."""
    return Effects(contention=False).applied_to(composition)


def value_of(composition: Composition, objective: Objective) -> Ps:
    """Return the score of *composition*.

    Raises
    ------
    SolverFault
        It deadlocks, which none does that stands between two designs that do not.
    """
    outcome = score(composition, objective)
    if isinstance(outcome, Deadlock):
        raise SolverFault(f"a step between two designs deadlocks: {outcome}")
    return outcome.value_ps


def _whole(works: Works) -> dict[str, Work]:
    return {group: work for (group, phase), work in works.items() if phase is Phase.WHOLE}


def _free(work: Work) -> Work:
    return replace(work, services=tuple(replace(service, dispatch=FREE) for service in work.services))
