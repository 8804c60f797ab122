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


def ending_of(study: Study, name: str, batches: Sequence[int], objectives: Sequence[str], derivation: Derivation) -> list[str]:
    """Return the two best lines of the headroom of *study*, which was read from *name*; none where it has, or assumes, a megakernel."""
    if study.spec.value.assume or any(document.value.backend == "megakernel" for document in study.contracts):
        return []
    from megasolve.report import ending_lines
    from megasolve.solver import NothingToday, SpaceTooLarge, headroom

    times = (one for one in objectives if one != CAPACITY)
    try:
        found = headroom(study, batches=batches, objective=next(times, None), derivation=derivation)
    except (NothingToday, SpaceTooLarge):
        return []
    return ending_lines(found, shlex.join(["megasolve", "headroom", name]))
