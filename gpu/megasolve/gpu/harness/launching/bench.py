"""The bench: what candidates and co-runs share in one session."""

from __future__ import annotations

from collections.abc import Sequence

from megasolve.contracts import Contract

from ...driver import Stream
from ...workloads.guarded_workload import GuardedWorkload
from ..session import Session
from .kernels import Kernels, load_kernels
from .run_arrays import RunArrays


class Bench:
    """The two streams of launches, the *arrays* of runs, and the kernels of every entry of a *workload*, loaded once."""

    def __init__(self, session: Session, workload: GuardedWorkload, arrays: RunArrays) -> None:
        self.session, self.workload, self.arrays = session, workload, arrays
        self.streams: tuple[Stream, Stream] = (session.stream, session.new_stream())
        self._kernels: dict[str, Kernels] = {}

    def kernels(self, contract: Contract) -> Kernels:
        """Return the kernels of *contract*.

        Raises
        ------
        GpuError
            They do not compile, cannot be loaded, or are not what the contract says.
        """
        if contract.entry not in self._kernels:
            self._kernels[contract.entry] = load_kernels(self.session, contract)
        return self._kernels[contract.entry]

    def kernels_of(self, contracts: Sequence[Contract]) -> dict[str, Kernels]:
        """Return the kernels of several contracts by entry."""
        return {contract.entry: self.kernels(contract) for contract in contracts}
