"""The contracts of a candidate's entries."""

from __future__ import annotations

from megasolve.contracts import Contract, Study
from megasolve.simulate.plan.runnable import RegionOfEntries

from ...errors import GpuError


def contracts_of(study: Study, region: RegionOfEntries) -> tuple[Contract, ...]:
    """Return the contracts of the entries of *region*, in their order.

    Raises
    ------
    GpuError
        The spec has no contract of an entry.
    """
    known = {document.value.entry: document.value for document in study.contracts}
    missing = [entry for entry in region.entries if entry not in known]
    if missing:
        raise GpuError(f"spec '{study.spec.value.name}' has no contract of '{missing[0]}'")
    return tuple(known[entry] for entry in region.entries)
