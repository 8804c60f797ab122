"""The lines with which a plan without megakernels ends: what would pay as one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .studies import CAPACITY

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.solver import Derivation

ENDED = {"table": "\n", "markdown": "\n\n"}
"""The forms of a result that end with them, and what stands between two lines."""

MOST_REGIONS = 600
"""So many are looked at, of all batches together, before a plan ends: a few seconds. Of n groups in a row there are n(n+1)/2, each of n."""


def ending_of(study: Study, name: str, batches: Sequence[int], objectives: Sequence[str], derivation: Derivation) -> list[str]:
    """Return the two best lines of the headroom of *study*, which was read from *name*; none where it has, or assumes, a megakernel.

    Where there are too many regions to look at beside a plan, a line says how many, and who looks at them.
    """
    if study.spec.value.assume or any(document.value.backend == "megakernel" for document in study.contracts):
        return []
    from megasolve.report import ending_lines, pointer_lines
    from megasolve.solver import NothingToday, SpaceTooLarge, headroom, region_count

    times, command = (one for one in objectives if one != CAPACITY), shlex.join(["megasolve", "headroom", name])
    try:
        if (regions := region_count(study.spec.value)) * len(batches) > MOST_REGIONS:
            return pointer_lines(regions, command)
        found = headroom(study, batches=batches, objective=next(times, None), derivation=derivation)
    except (NothingToday, SpaceTooLarge):
        return []
    return ending_lines(found, command)
