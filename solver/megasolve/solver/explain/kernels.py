"""Kernels: what the records behind a score add up to, region by region, the longest first and equal kernels as one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ..select.compose import Usage


@dataclass(frozen=True, slots=True)
class KernelShare:
    """Equal kernels, or one alone: launches of the same kernel of a profile, or records that differ in nothing but their entry."""

    usages: tuple[Usage, ...]

    @property
    def spent_ps(self) -> int:
        """The standalone time of all of them until the objective is reached."""
        return sum(usage.spent_ps for usage in self.usages)

    @property
    def calls(self) -> int:
        """How many calls that is."""
        return sum(usage.calls for usage in self.usages)

    @property
    def launches(self) -> int:
        """How many kernels are launched for these calls; a megakernel is launched by its region."""
        return sum(usage.calls * usage.contract.kernels for usage in self.usages)


@dataclass(frozen=True, slots=True)
class RegionShare:
    """One region with its kernels, the longest first."""

    region: str
    kernels: tuple[KernelShare, ...]

    @property
    def spent_ps(self) -> int:
        """The standalone time of all kernels until the objective is reached."""
        return sum(kernel.spent_ps for kernel in self.kernels)


def region_shares(usages: Sequence[Usage]) -> tuple[RegionShare, ...]:
    """Return what each region of *usages* spends on which kernels; regions in order, equally long kernels in the order of their files."""
    regions: dict[str, dict[Hashable, list[Usage]]] = {}
    for usage in usages:
        regions.setdefault(str(usage.region), {}).setdefault(_identity(usage), []).append(usage)
    return tuple(RegionShare(region, _by_time(list(map(tuple, alike.values())))) for region, alike in regions.items())


def _by_time(alike: Sequence[tuple[Usage, ...]]) -> tuple[KernelShare, ...]:
    return tuple(sorted(map(KernelShare, alike), key=lambda share: -share.spent_ps))


def _identity(usage: Usage) -> Hashable:
    """Return what equal kernels share: name and launch where a profile or a source names the kernel, else all that their records say."""
    contract, record = usage.contract, usage.use.record
    launch = contract.launch
    key = (usage.need.group.name, usage.need.budget_ctas, usage.need.phase, contract.backend, contract.grid_ctas)
    shape = (launch.threads, launch.registers, launch.shared_bytes)
    if contract.observed_kernels:
        return (*key, *shape, contract.observed_kernels)
    provenance = record.provenance
    return (
        *key,
        *shape,
        contract.kernels,
        usage.calls,
        record.time_ps,
        record.hbm_bytes,
        record.accuracy,
        provenance.kind,
        provenance.source,
    )
