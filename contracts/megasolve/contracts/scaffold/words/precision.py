"""What the names of kernels say about the precision of a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...observe.observation import ObservedKernel
from ..runs import typical
from .type_names import NARROWEST_FIRST, named_type

UNSTATED = "unstated"


@dataclass(frozen=True, slots=True)
class NamedPrecision:
    """The type that kernels of the most time name, None where no kernel names any, and its *share_permille* of the time of all kernels."""

    most: str | None
    share_permille: int

    @property
    def assumed(self) -> str:
        """The type where it has more than half of the time; a minority says nothing about a model."""
        return self.most if self.most is not None and self.share_permille > 500 else UNSTATED


def named_precision(kernels: Iterable[ObservedKernel]) -> NamedPrecision:
    """Return what the names of *kernels* say; a kernel that names several types counts for the narrowest."""
    times = dict.fromkeys(NARROWEST_FIRST, 0)
    total = 0
    for kernel in kernels:
        time = typical(kernel.samples_ps)
        total += time
        named = named_type(kernel.shape.name)
        if named is not None:
            times[named] += time
    most = max(times, key=lambda name: times[name])
    return NamedPrecision(most, 1000 * times[most] // total) if times[most] else NamedPrecision(None, 0)
