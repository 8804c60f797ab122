"""How far arrays are from what a reference says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The bound that the paper sets for designs before they are timed (section VI.A).
TOLERANCE = 1e-2
"""The relative L2 distance to the reference that an array of floats may have; integers must be equal."""


@dataclass(frozen=True, slots=True)
class ArrayDifference:
    """An array or tensor that is not what the reference says; *relative_l2* is None where it is no matter of distance."""

    tensor: str
    relative_l2: float | None
    message: str

    def __str__(self) -> str:
        return f"{self.tensor}: {self.message}"


@dataclass(frozen=True, slots=True)
class ArrayComparison:
    """What is wrong (*differences*, empty if nothing is), and the largest distance of an array (*relative_l2*)."""

    differences: tuple[ArrayDifference, ...]
    relative_l2: float


def compared(found: Mapping[str, NDArray[Any]], expected: Mapping[str, NDArray[Any]]) -> ArrayComparison:
    """Return how far *found* is from what is *expected*, array by array."""
    pairs = [(name, found[name].reshape(wanted.shape), wanted) for name, wanted in expected.items()]
    wrong = [difference for pair in pairs for difference in differences_of(*pair)]
    far = max((distance(ours, theirs) for _, ours, theirs in pairs if is_floating(theirs)), default=0.0)
    return ArrayComparison(tuple(wrong), far)


def differences_of(name: str, ours: NDArray[Any], theirs: NDArray[Any], *, elements: str = "elements") -> Iterator[ArrayDifference]:
    """Yield what is wrong with *ours*, which *theirs* says; a value where the reference has NaN is one that nothing should have written."""
    if not is_floating(theirs):
        wrong = int(np.count_nonzero(ours != theirs))
        if wrong:
            yield ArrayDifference(name, None, f"{wrong} of {theirs.size} {elements} differ from the reference")
        return
    missing, spurious = int(np.count_nonzero(np.isnan(ours) & ~np.isnan(theirs))), int(np.count_nonzero(~np.isnan(ours) & np.isnan(theirs)))
    if missing:
        yield ArrayDifference(name, None, f"{missing} of {theirs.size} elements were never written, or written as NaN")
    if spurious:
        yield ArrayDifference(name, None, f"{spurious} of {theirs.size} elements were written that no call writes")
    apart = distance(ours, theirs)
    # Not `>`: a distance that is NaN must not pass.
    if not apart <= TOLERANCE:
        yield ArrayDifference(name, apart, f"relative L2 distance {apart:.3g} > {TOLERANCE:g} to the reference")


def distance(ours: NDArray[Any], theirs: NDArray[Any]) -> float:
    """Return the relative L2 distance over the elements that have a value in both."""
    known = ~(np.isnan(ours) | np.isnan(theirs))
    left, right = np.asarray(ours[known], np.float64), np.asarray(theirs[known], np.float64)
    size, apart = float(np.linalg.norm(right)), float(np.linalg.norm(left - right))
    # A reference of zeros has no size that a distance could be relative to.
    return apart / size if size else apart


def is_floating(array: NDArray[Any]) -> bool:
    """Whether an array holds floats."""
    return bool(np.issubdtype(array.dtype, np.floating))
