"""The kernels that a region would be made of: of each group the quickest implementation with evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from megasolve.contracts import Contract, Document, GroupSpec, Study, key_of
from megasolve.contracts.limits.occupancy import unverified_limits
from megasolve.contracts.model.programs.operators import Program, ShapedOperator
from megasolve.simulate.plan.candidate import choices
from megasolve.simulate.plan.cover import Backend, Region

from ..evidence.lookup import Evidence, RecordUse, left_ps
from .moved import moved_by


@dataclass(frozen=True, slots=True)
class KernelToday:
    """One kernel of a call of *group*: what it adds to it, the bytes that it moves as far as anybody says, and its *contract*."""

    group: str
    contract: Document[Contract]
    time_ps: int
    hbm_bytes: int | None


@dataclass(frozen=True)
class KernelsToday:
    """Finds the kernels of groups by their *evidence*."""

    study: Study
    evidence: Evidence

    def of(self, group: GroupSpec, batch: int, shapes: Mapping[str, int]) -> tuple[KernelToday, ...] | None:
        """Return the kernels of one call of *group*; None where no implementation of it has evidence."""
        region = Region(Backend.CONVENTIONAL, (group.name,))
        every = (self._timed(choice.contracts, group, batch, shapes) for choice in choices(self.study, region))
        known = [kernels for kernels in every if kernels is not None]
        return min(known, key=lambda kernels: sum(kernel.time_ps for kernel in kernels), default=None)

    def _timed(
        self, contracts: tuple[Document[Contract], ...], group: GroupSpec, batch: int, shapes: Mapping[str, int]
    ) -> tuple[KernelToday, ...] | None:
        whole = self.study.device.value.usable_sms
        keys = [key_of(self.study, one.value, group.name, budget_ctas=whole, batch=batch, shapes=shapes) for one in contracts]
        found = [self.evidence.find(key, one) for key, one in zip(keys, contracts, strict=True)]
        uses = [use for use in found if isinstance(use, RecordUse) and use.record.provenance.kind != "assumed"]
        if len(uses) < len(found):
            return None
        times = [left_ps(one.value, use.record, self.study.device.value) for one, use in zip(contracts, uses, strict=True)]
        moved = [self._bytes(one.value, group.name, use) for one, use in zip(contracts, uses, strict=True)]
        return tuple(KernelToday(group.name, *each) for each in zip(contracts, times, moved, strict=True))

    def _bytes(self, contract: Contract, group: str, use: RecordUse) -> int | None:
        """Return the bytes that the record states, else those that the operators of the kernel must move."""
        if use.record.hbm_bytes is not None:
            return use.record.hbm_bytes
        moved = moved_by(self.study.spec.value, group, [contract], use.record.batch, use.record.shapes.get("frames"))
        return moved.weight_bytes + moved.state_bytes + moved.entry_bytes + moved.exit_bytes if moved.is_whole else None


def shared_launch(kernels: tuple[KernelToday, ...]) -> Mapping[str, object]:
    """Return the launch shape that *kernels* would share, as far as all of them say it: the largest of each."""
    launches = [kernel.contract.value.launch for kernel in kernels]
    if any(unverified_limits(launch) or launch.roles for launch in launches):
        return {}
    threads = max(launch.threads or 0 for launch in launches)
    registers, shared_bytes = max(launch.registers or 0 for launch in launches), max(launch.shared_bytes for launch in launches)
    return {"threads": threads, "registers": registers, "shared_bytes": shared_bytes}


def programs_of(groups: Sequence[str], kernels: tuple[KernelToday, ...]) -> dict[str, object]:
    """Return, as a contract has them, the programs of the kernels of each group, one behind the other; nothing where none has one.

    A megakernel has no tiles of a library, so products have those that their kernels state beside it; where a kernel states none, its group
    has no program.
    """
    own_of = {name: [kernel for kernel in kernels if kernel.group == name] for name in groups}
    own_of = {name: own for name, own in own_of.items() if all(_states_tiles(kernel) for kernel in own)}
    blocks = {name: tuple(block for kernel in own for block in _blocks(kernel)) for name, own in own_of.items()}
    known = {name: each for name, each in blocks.items() if each}
    return {"programs": known} if known else {}


def _program(kernel: KernelToday) -> Program:
    return kernel.contract.value.programs.get(kernel.group, ())


def _states_tiles(kernel: KernelToday) -> bool:
    operators = (operator for block in _program(kernel) for operator in block.operators)
    return not any(isinstance(operator, ShapedOperator) and operator.library and not operator.tile for operator in operators)


def _blocks(kernel: KernelToday) -> Iterator[dict[str, object]]:
    for block in _program(kernel):
        dumped = block.model_dump(by_alias=True, exclude_unset=True)
        yield {**dumped, "operators": tuple({key: it for key, it in one.items() if key != "library"} for one in dumped["operators"])}
