"""What `measure` needs to know of kernels in order to time them: a protocol of a few functions from values to values.

A workload knows no driver. It says what to compile, what a call reads, what it must leave, and how its kernels are launched; compiling,
memory, launches, timing and the comparison are done for it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from megasolve.contracts import Contract, Study

from ..compile.code import KernelCode
from .alone import DOCUMENTED, alone
from .calls import Arrays, AskedCall, LaunchSet, NotOffered, StatedCall
from .comparing import ArrayComparison, compared


@runtime_checkable
class Workload(Protocol):
    """Kernels that can be timed. A class that is based on this one needs `kernels`, `inputs`, `reference` and `launches`.

    With `start` whole candidates and co-runs are run as well: calls that follow each other on the same arrays, each with its number. Every
    argument and result is a value, so that all of it can be tried without a device.
    """

    runs_programs: bool = False
    """Whether the kernels run the programs of contracts, and nothing without one."""

    contracts_writer: str = ""
    """The command that writes the contracts, if there is one; messages name it where contracts have to be written anew."""

    def require(self, study: Study, batch: int) -> None:
        """Raise GpuError where *study* is none that the kernels are made for; by default every one is."""
        # A body, so that type checkers do not take it for one that has to be written.
        return

    @abstractmethod
    def kernels(self, contract: Contract) -> KernelCode:
        """Return what is compiled for *contract*."""

    def weights(self, study: Study, batch: int, seed: int) -> Arrays:
        """Return what all calls read and none writes; by default nothing. It is uploaded once."""
        return {}

    @abstractmethod
    def inputs(self, call: AskedCall, seed: int) -> Arrays:
        """Return all other arrays as they are before *call*: what it reads drawn from *seed*, and NaN in what it must write."""

    @abstractmethod
    def reference(self, call: AskedCall, arrays: Arrays) -> Arrays:
        """Return what *call* must leave of *arrays*, the weights and the inputs; an array that is not named is not looked at."""

    @abstractmethod
    def launches(self, call: AskedCall, contracts: Sequence[Contract], ctas: int) -> StatedCall:
        """Return how *call* is launched: by the one entry of a megakernel on *ctas* CTAs, or by the conventional kernels of its group."""

    def compared(self, call: AskedCall, found: Arrays, expected: Arrays) -> ArrayComparison:
        """Return how far what a call left is from what it must leave; by default array by array."""
        return compared(found, expected)

    def start(self, study: Study, batch: int, seed: int) -> Arrays:
        """Return all arrays but the weights before the first call of a run: what it reads drawn from *seed*, and NaN in what calls write.

        Raises
        ------
        NotOffered
            By default: the workload is none for whole candidates and co-runs.
        """
        raise NotOffered(f"it has no start(), which says what whole candidates and co-runs begin with{DOCUMENTED}")

    def composed(self, asked: LaunchSet) -> StatedCall:
        """Return the persistent launches of a run, one for each side, in order.

        By default those of `launches` for each side, which then runs one call and waits for none of the other side.

        Raises
        ------
        NotOffered
            By default where a launch runs several calls, or waits for another one on the device.
        """
        return alone(self.launches, asked)

    def stuck(self, study: Study, batch: int, contract: Contract, ctas: int) -> StatedCall | None:
        """Return a launch of the entry of *contract* that never ends by itself, to try time limits and stop words with.

        By default None: its kernel waits for nothing, and one that waits for others stands in.
        """
        return None
