"""The conventional kernels of a call: the contracts that are launched for it together."""

from __future__ import annotations

from megasolve.contracts import Contract, Study

from ...errors import GpuError
from ...workloads.named import workload_of


def conventional_contracts(study: Study, group: str, implementation: str) -> tuple[Contract, ...]:
    """Return the contracts of the kernels of *group* in one *implementation*, in order.

    Raises
    ------
    GpuError
        They name several workloads, so that nothing launches all of them.
    """
    own = [document.value for document in study.contracts if document.value.backend == "conventional" and group in document.value.members]
    kernels = sorted((one for one in own if (one.implementation or "") == implementation), key=lambda one: (one.order or 0, one.entry))
    named = {one.workload: one for one in kernels}
    if len(named) > 1:
        pairs = ", ".join(f"'{one.entry}' {one.workload or 'none'}" for one in named.values())
        raise GpuError(f"the kernels of {group} are launched together and name several workloads ({pairs}); name one for all of them")
    # Kernels of other workloads need no program; these have nothing to run for a group without one.
    if not any(workload_of(study, one).runs_programs for one in named.values()):
        return tuple(kernels)
    return tuple(one for one in kernels if group in one.programs)


def first_conventional(study: Study, group: str) -> tuple[Contract, ...]:
    """Return the contracts of the kernels of *group* in the implementation that is first by name; none where there are no kernels.

    Raises
    ------
    GpuError
        As for `conventional_contracts`.
    """
    own = [document.value for document in study.contracts if document.value.backend == "conventional" and group in document.value.members]
    names = sorted({contract.implementation or "" for contract in own})
    return conventional_contracts(study, group, names[0]) if names else ()
