"""The mechanisms of paper, Table I, that work on event graphs and can be switched off by name, to see what they are worth.

*contention*: tasks that run beside each other share the memory bandwidth. *dispatch*: launches, and the gaps between the
kernels of a graph, take time. (Overlap of producer and consumer is switched off by the `no_overlap` ablation.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..events.switches import Switches
from ..plan.works import FREE, Service, Work
from .composition import Composition, RegionPlan


@dataclass(frozen=True, slots=True)
class Effects(Switches):
    """Which mechanisms of the event graph are on; all of them by default."""

    contention: bool = True
    dispatch: bool = True

    def applied_to(self, composition: Composition) -> Composition:
        """Return *composition* as it is where the mechanisms that are off cost nothing."""
        if not self.off:
            return composition
        return replace(
            composition,
            regions=tuple(self._region(region) for region in composition.regions),
            works={key: self._work(work) for key, work in composition.works.items()},
        )

    def _region(self, region: RegionPlan) -> RegionPlan:
        return region if self.dispatch else replace(region, launching=region.launching.free())

    def _work(self, work: Work) -> Work:
        return replace(work, services=tuple(self._service(service) for service in work.services))

    def _service(self, service: Service) -> Service:
        hbm_bytes = service.hbm_bytes if self.contention else 0
        return replace(service, hbm_bytes=hbm_bytes, dispatch=service.dispatch if self.dispatch else FREE)
