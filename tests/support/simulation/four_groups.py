"""The model of four groups that the tests of the lowering share: prefill P, steps of B and L, codec C. Small picoseconds."""

from __future__ import annotations

from megasolve.simulate import Composition, Deadlock, Detail, Objective, RegionPlan, Schedule, Score, Sharing, score
from tests.support.simulation.compositions import composition, cost, work, works

LAUNCH = cost(host_ps=1)
WHOLE = (work("P", 100), work("B", 30), work("L", 10), work("C", 60))
SPLIT = (work("P", 150), work("B", 45), work("L", 15), work("C", 80))


def scored(asked: Composition, objective: Objective = Objective.FIRST_PUBLICATION) -> Score:
    """Return the score from the COMPACT graph, which the FULL one must confirm."""
    found = {detail: score(asked, objective, detail=detail) for detail in Detail}
    compact, full = found[Detail.COMPACT], found[Detail.FULL]
    assert not isinstance(compact, Deadlock)
    assert not isinstance(full, Deadlock)
    assert compact.value_ps == full.value_ps
    return compact


def four(*regions: RegionPlan, sharing: Sharing = Sharing.SERIAL, ready: int = 2, horizon: int = 3, steps: int = 1) -> Composition:
    """Return the four groups in these regions."""
    return composition(regions, "P BL C", Schedule(ready, horizon, None, steps), sharing, works(WHOLE, SPLIT))
