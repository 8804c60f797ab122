"""The arrays of runs of many calls on the device: all that a workload starts with, and what the reference makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...driver import Memory
from ...errors import GpuError
from ...programs.group_calls import Call
from ...workloads.calls import Arrays, AskedCall, UnclearInputs
from ...workloads.comparing import ArrayComparison
from ...workloads.guarded_workload import GuardedWorkload
from ..session import Session
from .buffers import Memories

_MOST_DRAWS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Restored:
    """What a run writes over: the elements of an array that are there before it, from *first_byte* on."""

    name: str
    content: NDArray[Any]
    first_byte: int


class RunArrays:
    """Device memory for runs of *calls*, which begin where *earlier* calls end, by the reference of *workload*.

    Parameters
    ----------
    seed
        Draws weights and inputs. Inputs that the reference finds unclear are drawn anew.

    Raises
    ------
    GpuError
        No clear inputs were found, the workload starts with nothing, or the device has not enough memory.
    """

    def __init__(self, session: Session, workload: GuardedWorkload, calls: Sequence[Call], seed: int, earlier: Sequence[Call] = ()) -> None:
        self._session, self._workload = session, workload
        self._calls, self._earlier = (tuple(map(self._asked, some)) for some in (calls, earlier))
        self._weights = workload.weights(session.study, session.batch, seed)
        self._before, self._expected = self._drawn(seed)
        arrays = {**self._weights, **self._before}
        session.require_memory(sum(array.nbytes for array in arrays.values()))
        self._memories: Mapping[str, Memory] = {name: session.memory(array.nbytes) for name, array in arrays.items()}
        self._restored = tuple(restored(self._before, self._expected))
        # Once, as no kernel writes them.
        self._upload(self._weights)

    @property
    def memories(self) -> Memories:
        """The memory of each array, by name."""
        return self._memories

    def load(self) -> None:
        """Fill the memory with what a run starts from."""
        self._upload(self._before)

    def restore(self) -> None:
        """Bring back what a run has written over; what it writes anew may stay."""
        for one in self._restored:
            self._memories[one.name].upload(one.content, first_byte=one.first_byte)

    def compared(self) -> ArrayComparison:
        """Return how far what the memory holds is from what the calls must leave; wait for them first."""
        held = {name: self._memories[name].read(array.dtype, array.size).reshape(array.shape) for name, array in self._before.items()}
        return self._workload.compared(self._calls[-1], {**self._weights, **held}, self._expected)

    def _asked(self, call: Call) -> AskedCall:
        return AskedCall(self._session.study, call.group, self._session.batch, call.number)

    def _drawn(self, seed: int) -> tuple[Arrays, Arrays]:
        unclear: UnclearInputs | None = None
        for draw in range(_MOST_DRAWS):
            start = self._workload.start(self._session.study, self._session.batch, seed + draw)
            try:
                after = self._workload.after(self._earlier, {**self._weights, **start})
                # In the precision of the kernels, so that both begin with the same numbers.
                before = {name: np.ascontiguousarray(after[name], array.dtype) for name, array in start.items()}
                after = self._workload.after(self._calls, {**self._weights, **before})
                return before, {name: array for name, array in after.items() if name in start and array is not before[name]}
            except UnclearInputs as error:
                unclear = error
        raise GpuError(f"{_MOST_DRAWS} random inputs had {unclear}; ask for fewer steps")

    def _upload(self, arrays: Arrays) -> None:
        for name, array in arrays.items():
            self._memories[name].upload(np.ascontiguousarray(array))


def restored(before: Arrays, expected: Arrays) -> Iterator[Restored]:
    """Yield of each array that calls change the elements that have a value before, from the first to the last."""
    for name in expected:
        flat = before[name].reshape(-1)
        # NaN stands where calls write, and nothing reads before.
        known = np.flatnonzero(~np.isnan(flat)) if flat.dtype.kind == "f" else np.arange(flat.size)
        if known.size:
            first, last = int(known[0]), int(known[-1])
            yield Restored(name, np.ascontiguousarray(flat[first : last + 1]), first * flat.itemsize)
