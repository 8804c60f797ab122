"""Workloads by the names that contracts give: imported once, from installed packages alone."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from megasolve.contracts import Contract, Study
from megasolve.contracts.model.closest import closest

from ..errors import GpuError
from .alone import DOCUMENTED
from .guarded_workload import GuardedWorkload, told
from .installed import NotInstalled, installed_module
from .workload import Workload

STREAMLET = "megasolve.gpu.workloads.streamlet.workload:STREAMLET"
"""What a contract without a name is of."""

_NEEDED = ("kernels", "inputs", "reference", "launches")


class WorkloadRefused(GpuError):
    """A contract names what cannot be used as a workload; the message begins with the place of the name."""


def workload_of(study: Study, contract: Contract) -> GuardedWorkload:
    """Return the workload that *contract* of *study* names; without a name that of streamlet, whose kernels run any program.

    Raises
    ------
    WorkloadRefused
        There is none of this name in an installed package, or importing it fails.
    """
    name = contract.workload or STREAMLET
    place = _place(study, contract)
    folder = str(Path(study.spec.file).parent)
    try:
        return GuardedWorkload(_imported(name, os.path.realpath(folder), os.path.realpath(os.curdir)), name, place)
    except GpuError as error:
        raise WorkloadRefused(f"{place}: workload '{name}': {error}") from None


def workloads_of(study: Study) -> tuple[GuardedWorkload, ...]:
    """Return the workloads of the contracts of *study*, each once, in the order in which they are first named.

    Raises
    ------
    WorkloadRefused
        As for `workload_of`.
    """
    # Backwards, so that the first contract with a name is the one that messages show.
    named = {document.value.workload or STREAMLET: document.value for document in reversed(study.contracts)}
    return tuple(workload_of(study, contract) for contract in reversed(named.values()))


def composing_workload(study: Study, contracts: Sequence[Contract]) -> GuardedWorkload:
    """Return the one workload of all of *contracts*, which run in one whole candidate or co-run, or share its guards.

    Raises
    ------
    WorkloadRefused
        They name several, or it does not offer what such runs need; or as for `workload_of`.
    """
    first, *others = contracts
    for other in others:
        if (other.workload or STREAMLET) != (first.workload or STREAMLET):
            raise WorkloadRefused(
                f"{_place(study, other)}: entry '{other.entry}' is of another workload than '{first.entry}', and whole candidates and"
                " co-runs run on the arrays of one; name the same for both"
            )
    found = workload_of(study, first)
    if not found.composes:
        raise WorkloadRefused(
            f"{found.place}: workload '{found.name}' has no start(), which says what whole candidates and co-runs begin with;"
            f" without it calls are timed one by one{DOCUMENTED}"
        )
    return found


@cache
def _imported(name: str, spec_folder: str, _here: str) -> Workload:
    """Import once for each folder that does not count."""
    module, _, member = name.partition(":")
    found = installed_module(module, spec_folder)
    try:
        imported = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a package of somebody else does, the user hears of it in one line
        raise GpuError(f"importing '{module}' raises {told(error, str(Path(found.origin or '').parent))}") from None
    # A module of this name may have been imported before, from a folder that does not count.
    if imported.__spec__ is None or imported.__spec__.origin != found.origin:
        raise NotInstalled(f"'{module}' was imported from elsewhere than {found.origin}")
    if not hasattr(imported, member):
        near = closest(member, [one for one in vars(imported) if not one.startswith("_")])
        raise GpuError(f"module '{module}' has no '{member}'{f'; did you mean {near!r}?' if near else ''}")
    return _checked(getattr(imported, member), member)


def _checked(value: object, member: str) -> Workload:
    # First, because a class has the functions as well.
    if inspect.isclass(value):
        raise GpuError(f"'{member}' is a class: name an object of it, such as {member.upper()} = {member}()")
    missing = [name for name in _NEEDED if not callable(getattr(value, name, None))]
    if missing:
        raise GpuError(f"'{member}' is {_kind(value)} and no Workload: it has no {', '.join(missing)}")
    if not isinstance(value, Workload):
        raise GpuError(f"'{member}' is {_kind(value)} and no Workload: base its class on megasolve.gpu.workloads.Workload")
    return value


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"


def _place(study: Study, contract: Contract) -> str:
    document = next((one for one in study.contracts if one.value.entry == contract.entry), None)
    return str(study.spec.place(()) if document is None else document.place(("workload",) if contract.workload else ()))
