"""Rules for contracts beside profiles of what ran: grid, threads, registers and shared memory are those that were observed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from ....files.disk.globs import OutsideProject
from ....files.documents import Document
from ....files.rules import OUTSIDE_PROJECT, PATTERN_TOO_WIDE
from ....files.study import Study
from ....model.closest import closest
from ....model.contract import Contract
from ....model.findings import Fault, Severity
from ....model.rules import Rule, RuleKind, check, rule
from ....model.wording import counted, shown
from ...subjects import PROFILED, Placed
from ..wording import listed

if TYPE_CHECKING:
    from ....observe.profiled import Profiled
    from ....profiles.execution import KernelShape
    from ....scaffold.matching import FigureDifference

GRID_DIFFERS = Rule("PRF-01", "grid-differs", "A kernel ran with a grid of its contract.", RuleKind.PROFILE)
THREADS_DIFFER = Rule("PRF-02", "threads-differ", "A kernel ran with the threads of its contract.", RuleKind.PROFILE)
REGISTERS_DIFFER = Rule("PRF-03", "registers-differ", "A kernel ran with the registers of its contract.", RuleKind.PROFILE)
SHARED_DIFFERS = Rule("PRF-04", "shared-memory-differs", "A kernel ran with the shared memory of its contract.", RuleKind.PROFILE)


_RULE_OF = {"grid": GRID_DIFFERS, "threads": THREADS_DIFFER, "registers": REGISTERS_DIFFER, "shared memory": SHARED_DIFFERS}
_PATH_OF = {"threads": ("launch", "threads"), "registers": ("launch", "registers"), "shared memory": ("launch", "shared_bytes")}
_UNIT_OF = {"grid": "CTA", "threads": "thread", "registers": "register", "shared memory": "byte"}


@check(on=PROFILED)
def launches_differ(study: Study, profiled: Profiled) -> Iterator[Placed]:
    """What a contract declares decides what fits on the device and beside what; what ran is what it is."""
    from ....scaffold.matching import differences

    for contract, shapes in _claimed(study, profiled):
        ran = sum(profiled.launches[shape] for shape in shapes)
        counts: dict[FigureDifference, int] = {}
        for shape in shapes:
            for difference in differences(contract.value, shape):
                counts[difference] = counts.get(difference, 0) + profiled.launches[shape]
        for difference, launches in counts.items():
            yield contract, _differing(contract.value, difference, f"{launches:,} of {ran:,} launches", profiled)


@rule("PRF-05", "kernel-not-in-profile", "The observed kernels of a contract are in a profile.", RuleKind.PROFILE, on=PROFILED)
def kernel_not_in_profile(study: Study, profiled: Profiled) -> Iterator[Placed]:
    """A contract whose kernel is in no profile was compared with nothing; often a pattern is misspelt."""
    if not profiled.executions:
        return
    for contract, shapes in _claimed(study, profiled):
        if not shapes:
            patterns = contract.value.observed_kernels
            path = ("observed", "kernels") if contract.value.observed else ("source", "symbol")
            which = f"'{contract.value.entry}' ({listed(patterns)})"
            message = f"no kernel of {profiled.names} is a launch of {which}{_nearest(patterns, profiled)}"
            yield contract, Fault(kernel_not_in_profile, path, message, severity=Severity.WARNING)


@rule("PRF-10", "launched-each-step", "An entry that loops on the device is not launched step by step.", RuleKind.PROFILE, on=PROFILED)
def launched_each_step(study: Study, profiled: Profiled) -> Iterator[Placed]:
    """One launch that runs all steps saves the others; where every step has one, a plan would leave their cost out."""
    from ....scaffold.asking import declared_attribution
    from ....scaffold.looping import looping

    documents = {contract.value.entry: contract for contract in study.contracts}
    contracts = tuple(contract.value for contract in study.contracts)
    by = declared_attribution(study.spec.value, contracts).steps
    for execution in profiled.executions:
        for one in looping(execution, contracts, by):
            if one.is_contradicted:
                message = f"{one}, or mark single steps in {PurePath(execution.file).name} where each mark is a whole loop"
                yield documents[one.contract.entry], Fault(launched_each_step, ("loops_on_device",), message, severity=Severity.WARNING)


@rule("PRF-08", "profile-absent", "Each pattern for profiles matches at least one file.", RuleKind.PROFILE, on=PROFILED)
def profile_absent(study: Study, profiled: Profiled) -> Iterator[Placed]:
    """A profile may lie elsewhere, as it is large; but then nothing was compared with it."""
    for path, pattern in profiled.absent:
        message = f"'{pattern}' matches no file, so nothing was compared with it; put the profile there, or name its path"
        yield study.spec, Fault(profile_absent, path, message, severity=Severity.WARNING)


@check(on=PROFILED)
def profile_unfollowed(study: Study, profiled: Profiled) -> Iterator[Placed]:
    """A spec must not lead out of its project, whoever wrote it, and a pattern must not go through all that lies in it."""
    for path, pattern, refused in profiled.unfollowed:
        rule = OUTSIDE_PROJECT if isinstance(refused, OutsideProject) else PATTERN_TOO_WIDE
        yield study.spec, Fault(rule, path, f"{shown(pattern)} {refused}; nothing was compared with it")


@rule("PRF-09", "profile-refused", "A profile that a spec names can be read and shows kernels.", RuleKind.PROFILE, on=PROFILED)
def profile_refused(study: Study, profiled: Profiled) -> Iterator[Placed]:
    """A profile that is broken, or none, supports nothing."""
    for path, refused in profiled.refused:
        yield study.spec, Fault(profile_refused, path, f"{refused}; nothing was compared with it")


def _claimed(study: Study, profiled: Profiled) -> Iterator[tuple[Document[Contract], Sequence[KernelShape]]]:
    """Yield each contract that names its kernels, with the shapes that it accounts for."""
    from ....scaffold.matching import claims

    observable = [contract for contract in study.contracts if contract.value.observed_kernels]
    claimed = claims([contract.value for contract in observable], tuple(profiled.launches))
    for contract in observable:
        yield contract, claimed[contract.value.entry]


def _differing(contract: Contract, difference: FigureDifference, launches: str, profiled: Profiled) -> Fault:
    unit = _UNIT_OF[difference.figure]
    declared = " or ".join(f"{figure:,}" for figure in difference.declared)
    observed = f"{counted(difference.observed, unit)} in {launches} of {profiled.names}"
    message = (
        f"{difference.figure}: '{contract.entry}' ran with {observed}, the contract says {declared}; "
        "correct the contract, or profile the kernel that it describes"
    )
    return Fault(_RULE_OF[difference.figure], _path(contract, difference.figure), message)


def _path(contract: Contract, figure: str) -> tuple[str, ...]:
    if figure != "grid":
        return _PATH_OF[figure]
    keys = ("grid_ctas", "budgets_ctas", "budgets_clusters")
    return (next(key for key in keys if getattr(contract, key) is not None),)


def _nearest(patterns: Sequence[str], profiled: Profiled) -> str:
    from ....scaffold.words.names import base_name

    names: Mapping[str, None] = dict.fromkeys(base_name(shape.name) for shape in profiled.launches)
    close = [name for pattern in patterns if (name := closest(pattern.strip("*"), names))]
    return f"; did you mean '{close[0]}'?" if close else f"; its kernels: {listed([*names][:5])}{' ...' if len(names) > 5 else ''}"
