"""Kernels that one contract stands for: nothing that a contract declares tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median_low

from ..observe.observation import ObservedKernel
from ..observe.shapes.shaped import Computed
from ..profiles.execution import KernelShape


@dataclass(frozen=True, slots=True)
class KernelRun:
    """Observed kernels of one group that count as one, with everything about them added up per occurrence."""

    kernels: tuple[ObservedKernel, ...]

    @property
    def group(self) -> str:
        """The group that runs them."""
        return self.kernels[0].group

    @property
    def beside(self) -> tuple[str, ...]:
        """The groups that theirs ran beside, where none of its time is standalone."""
        return self.kernels[0].beside

    @property
    def shape(self) -> KernelShape:
        """The shape of the first of them; all have its name and its figures, but for the sides of the grid and the block."""
        return self.kernels[0].shape

    @property
    def launches(self) -> int:
        """Their launches per occurrence."""
        return sum(kernel.launches for kernel in self.kernels)

    @property
    def samples_ps(self) -> tuple[int, ...]:
        """Their time, per occurrence."""
        return self._added(lambda kernel: kernel.samples_ps)

    @property
    def gap_samples_ps(self) -> tuple[int, ...]:
        """The idle time before them, per occurrence; empty where the profile has no timeline."""
        return self._added(lambda kernel: kernel.gap_samples_ps)

    @property
    def hbm_bytes(self) -> int | None:
        """Their memory traffic per occurrence, None where that of one is unknown."""
        known = [kernel.hbm_bytes for kernel in self.kernels if kernel.hbm_bytes is not None]
        return sum(known) if len(known) == len(self.kernels) else None

    @property
    def computed(self) -> tuple[tuple[Computed, ...], ...]:
        """What each of their launches computes; empty where that of one is not recorded, or where they ran beside others."""
        known = [kernel.computed for kernel in self.kernels]
        return tuple(one for computed in known for one in computed) if all(known) and not self.beside else ()

    def _added(self, samples_of: Callable[[ObservedKernel], Sequence[int]]) -> tuple[int, ...]:
        samples = [samples_of(kernel) for kernel in self.kernels]
        if len({*map(len, samples)}) == 1:
            return tuple(map(sum, zip(*samples, strict=True)))
        # They ran in different occurrences, so no sum of single ones is one of them.
        return (sum(typical(one) for one in samples),)


def runs(kernels: Sequence[ObservedKernel]) -> tuple[KernelRun, ...]:
    """Return *kernels* as runs, in the order in which each run begins."""
    alike: dict[tuple[object, ...], list[ObservedKernel]] = {}
    for kernel in kernels:
        place = kernel.order if kernel.is_placed else None
        alike.setdefault((kernel.group, place, *_declared(kernel.shape)), []).append(kernel)
    return tuple(KernelRun(tuple(members)) for members in alike.values())


def typical(samples: Sequence[int]) -> int:
    """Return the lower median of *samples*, 0 where there are none."""
    return median_low(samples) if samples else 0


def _declared(shape: KernelShape) -> tuple[object, ...]:
    return shape.name, shape.ctas, shape.threads, shape.registers, shape.shared_bytes, shape.cluster_ctas
