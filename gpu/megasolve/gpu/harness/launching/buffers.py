"""The arrays of a workload on the device: its weights once, and of the inputs as many sets as launches take in turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ...driver import Memory
from ...errors import GpuError
from ...workloads.calls import Arrays, AskedCall, UnclearInputs
from ...workloads.guarded_workload import GuardedWorkload
from ..session import Session

Memories: TypeAlias = Mapping[str, Memory]
_MOST_DRAWS = 50


@dataclass(frozen=True, slots=True, eq=False)
class CallTrial:
    """Inputs of a call (*before*), and what the reference says that it must leave of them (*expected*)."""

    before: Arrays
    expected: Arrays


class Buffers:
    """Device memory for the calls of a *workload* in *session*. Calls whose arrays have the same names and sizes share it."""

    def __init__(self, session: Session, workload: GuardedWorkload, seed: int) -> None:
        self._session, self._workload, self._seed = session, workload, seed
        self._weights: Arrays = workload.weights(session.study, session.batch, seed)
        self._held: dict[tuple[int, str, int], Memory] = {}
        self._sets: dict[str, tuple[Memories, ...]] = {}
        self._trials: dict[str, CallTrial] = {}

    def sets(self, call: AskedCall) -> tuple[Memories, ...]:
        """Return the memory of *call* by name, once for each set.

        Raises
        ------
        GpuError
            The device has not enough memory.
        """
        if call.group not in self._sets:
            sizes = {name: array.nbytes for name, array in self._workload.inputs(call, self._seed).items()}
            self._sets[call.group] = self._made(sizes)
        return self._sets[call.group]

    def load(self, call: AskedCall) -> None:
        """Fill every set with inputs of its own."""
        for number, memories in enumerate(self.sets(call)):
            _upload(memories, self._workload.inputs(call, self._seed + number))

    def load_trial(self, call: AskedCall) -> CallTrial:
        """Fill the first set with inputs whose answer is clear, and return both.

        Raises
        ------
        GpuError
            None were found.
        """
        if call.group not in self._trials:
            self._trials[call.group] = self._drawn(call)
        # Every time: launches since the last trial may have written over its inputs.
        _upload(self.sets(call)[0], self._trials[call.group].before)
        return self._trials[call.group]

    def found(self, call: AskedCall, like: Arrays) -> Arrays:
        """Return the weights, and what the first set holds now of the arrays *like*."""
        memories = self.sets(call)[0]
        held = {name: memories[name].read(array.dtype, array.size).reshape(array.shape) for name, array in like.items()}
        return {**self._weights, **held}

    def _made(self, sizes: Mapping[str, int]) -> tuple[Memories, ...]:
        numbers = range(self._session.counts.rotations)
        weights = {name: array.nbytes for name, array in self._weights.items()}
        # As a set: what calls share is counted once, and what is held already not at all.
        wanted = {*((0, *one) for one in weights.items()), *((number, *one) for number in numbers for one in sizes.items())}
        self._session.require_memory(sum(nbytes for _, _, nbytes in wanted - self._held.keys()))
        shared = {name: self._memory(0, name, nbytes) for name, nbytes in weights.items()}
        _upload(shared, self._weights)
        return tuple({**shared, **{name: self._memory(number, name, nbytes) for name, nbytes in sizes.items()}} for number in numbers)

    def _memory(self, number: int, name: str, nbytes: int) -> Memory:
        held = (number, name, nbytes)
        if held not in self._held:
            # The driver refuses an allocation of 0 bytes.
            self._held[held] = self._session.memory(max(nbytes, 1))
        return self._held[held]

    def _drawn(self, call: AskedCall) -> CallTrial:
        unclear: UnclearInputs | None = None
        for draw in range(_MOST_DRAWS):
            before = self._workload.inputs(call, self._seed + draw)
            try:
                return CallTrial(before, self._workload.reference(call, {**self._weights, **before}))
            except UnclearInputs as error:
                unclear = error
        raise GpuError(f"{_MOST_DRAWS} random inputs had {unclear}")


def _upload(memories: Memories, arrays: Arrays) -> None:
    for name, array in arrays.items():
        memories[name].upload(np.ascontiguousarray(array))


@dataclass(frozen=True, slots=True)
class WorkloadBench:
    """A *workload* in a *session*, with its arrays on the device: what its designs share."""

    session: Session
    workload: GuardedWorkload
    buffers: Buffers

    @classmethod
    def of(cls, session: Session, workload: GuardedWorkload, seed: int) -> WorkloadBench:
        """Return a bench whose weights and inputs *seed* draws."""
        return cls(session, workload, Buffers(session, workload, seed))
