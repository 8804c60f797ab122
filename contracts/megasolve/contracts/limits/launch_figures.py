"""What one launch of an entry costs on a device: each figure is the contract's own, else the device's for that kind of launch."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.contract import Contract
from ..model.device import Device, LaunchCost


@dataclass(frozen=True, slots=True)
class LaunchFigures:
    """The figures of one launch; None where neither the contract nor the device states one that the launch needs.

    *ramp_ps* is what each kernel takes beside its work, 0 where nobody states it.
    """

    host_ps: int | None
    exposed_ps: int | None
    gap_ps: int | None
    ramp_ps: int = 0

    @property
    def missing(self) -> tuple[str, ...]:
        """The figures that nobody states, by the names that they have in files."""
        figures = (("host_us", self.host_ps), ("exposed_us", self.exposed_ps), ("gap_us", self.gap_ps))
        return tuple(name for name, figure in figures if figure is None)


def launch_figures(contract: Contract, device: Device) -> LaunchFigures:
    """Return what one launch of *contract* costs on *device*.

    Only a graph has a gap of the device's before each kernel. A gap that a profile measured before the kernels of a stream holds their
    launch cost: it replaces the device's figures and never adds to them.
    """
    own = contract.dispatch
    declared = getattr(device.launch, own.kind) or LaunchCost()
    ramp_ps = _first(own.ramp_ps, declared.ramp_ps) or 0
    if own.holds_launch_cost:
        return LaunchFigures(own.host_ps or 0, own.exposed_ps or 0, own.gap_ps, ramp_ps)
    gap_ps = _first(own.gap_ps, declared.gap_ps) if own.kind == "graph" else 0
    return LaunchFigures(_first(own.host_ps, declared.host_ps), _first(own.exposed_ps, declared.exposed_ps), gap_ps, ramp_ps)


def _first(own: int | None, declared: int | None) -> int | None:
    return declared if own is None else own
