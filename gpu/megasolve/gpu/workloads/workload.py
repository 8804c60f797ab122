"""What `measure` needs to know of kernels in order to time them: a protocol of a few functions from values to values.

A workload knows no driver. It says what to compile, what a call reads, what it must leave, and how its kernels are launched; compiling,
memory, launches, timing and the comparison are done for it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, TypeAlias, runtime_checkable

from numpy.typing import NDArray

from megasolve.contracts import Contract, Study
from megasolve.contracts.sizes.symbols import symbol_values

from ..compile.code import KernelCode
from ..errors import GpuError
from .comparing import ArrayComparison, compared

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
"""What lies in device memory, by name."""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """One call of a *group* of the spec of *study* at a *batch* size, as far as kernels of any kind are asked for it."""

    study: Study
    group: str
    batch: int

    @property
    def symbols(self) -> Mapping[str, int]:
        """The sizes that the spec and the shapes of the group give, `batch` among them."""
        return symbol_values(self.study.spec.value, self.group, self.batch)


@dataclass(frozen=True, slots=True)
class Buffer:
    """An argument: the address of the weights or inputs of this name. Calls that follow each other have different inputs."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """An argument: the address of *array*, which no kernel writes. It is uploaded once."""

    array: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Scratch:
    """An argument: the address of *words* 32-bit words, zero before each call. One name is one place in all launches of a call."""

    name: str
    words: int


class Word(Enum):
    """An argument of kernels that wait: a word that is not zero once they have to stop, eight words to say why, and a time limit in ns."""

    STOP = "stop"
    DIAGNOSIS = "diagnosis"
    TIMEOUT_NS = "timeout_ns"


KernelArgument: TypeAlias = Buffer | Constant | Scratch | Word | int | float | None
"""What a kernel is handed: an address, an integer of 32 bits, a float of 32 bits, or a null pointer."""


@dataclass(frozen=True, slots=True)
class StatedLaunch:
    """One launch of the kernel *symbol* of the contract of *entry*, whose threads, shared memory and kind of launch it has.

    *idle* are arguments with which the same kernel finds nothing to do: what that takes is launch cost. Without them an empty kernel of the
    same shape stands in.
    """

    symbol: str
    grid_ctas: int
    arguments: tuple[KernelArgument, ...]
    entry: str
    idle: tuple[KernelArgument, ...] | None = None


@dataclass(frozen=True, slots=True)
class StatedCall:
    """The *launches* of one call, in order; *title* is what messages call it, by default its group.

    The methods are for kernels that can say more of themselves than that they ended.
    """

    launches: tuple[StatedLaunch, ...]
    title: str = ""

    def faults(self, resident_ctas: int) -> Sequence[str]:
        """Return why it must not be launched on a device that holds so many of its CTAs at once; none if it may."""
        return ()

    def complaint(self, diagnosis: Sequence[int]) -> str | None:
        """Return what the words of the diagnosis say, in one line; None where they say nothing."""
        return f"gave up: its diagnosis is {', '.join(map(str, diagnosis))}" if any(diagnosis) else None

    def miscounted(self, scratch: Arrays) -> str | None:
        """Return what is wrong with the scratch that a call left, in one line; None if nothing is."""
        return None


class UnclearInputs(GpuError):
    """Raised by a reference whose answer rounding alone could change: other inputs are drawn. The message says what is unclear."""


@runtime_checkable
class Workload(Protocol):
    """Kernels that can be timed. A class that is based on this one needs `kernels`, `inputs`, `reference` and `launches`.

    Every argument and result is a value, so that all of it can be tried without a device.
    """

    runs_programs: bool = False
    """Whether the kernels run the programs of contracts, and nothing without one."""

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
