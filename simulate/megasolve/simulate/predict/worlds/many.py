"""A duration in many worlds at once. It adds up and compares like a number, so that the algebra of launches takes it for one."""

from __future__ import annotations

from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[np.float64]"


class Many:
    """Picoseconds, one for each world."""

    __slots__ = ("ps",)

    def __init__(self, ps: Array) -> None:
        self.ps = ps

    @classmethod
    def of(cls, ps: int | Many, worlds: int) -> Many:
        """Return a duration that may be the same in every one of so many *worlds*."""
        return ps if isinstance(ps, Many) else cls(np.full(worlds, float(ps)))

    def __add__(self, other: int | Many) -> Many:
        return Many(self.ps + (other.ps if isinstance(other, Many) else other))

    __radd__ = __add__

    def __sub__(self, other: int) -> Many:
        return Many(self.ps - other)

    def __mul__(self, times: int) -> Many:
        return Many(self.ps * times)

    __rmul__ = __mul__

    def __divmod__(self, parts: int) -> tuple[Many, int]:
        # A sum of equal kernels falls apart evenly: picoseconds that do not divide are of no account in floats.
        return Many(self.ps / parts), 0

    def __gt__(self, other: int | Many) -> Many:
        # Another one may be longer in each world: the answer is the longer one (`maxplus`).
        return Many(np.maximum(self.ps, other.ps if isinstance(other, Many) else other))


def as_duration(many: Many) -> int:
    """Return *many* where a composition has a duration: nothing that scores it in many worlds asks for more than sums of it."""
    return cast("int", many)
