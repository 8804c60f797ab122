"""The times that a spec lacks, as the words of `measure` ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ending.refusals import Refusal
from .options import AskedTimes, measured_batches

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.solver import Derivation, LackingTimes


def wanted_times(study: Study, asked: AskedTimes, derivation: Derivation) -> LackingTimes:
    """Return the times of *study* that are asked for and that no record gives; refuse to go on where none of them can be launched."""
    from megasolve.solver import lacking_times

    lacking = lacking_times(
        study,
        batches=measured_batches(study, asked),
        groups=asked.groups or None,
        entries=asked.entries or None,
        budgets_ctas=asked.budgets or None,
        derivation=derivation,
    )
    if lacking.is_hopeless:
        raise Refusal(f"nothing that is asked for can be launched: {'; '.join(lacking.refused)}")
    return lacking
