"""What a workload is asked and what it states: calls and launches of a study, and launches with their arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from numpy.typing import NDArray

from megasolve.contracts import Contract, Study
from megasolve.contracts.sizes.symbols import symbol_values

from ..errors import GpuError
from ..programs.group_calls import Call, Streams

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
"""What lies in device memory, by name."""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """One call of a *group* of the spec of *study* at a *batch* size, as far as kernels of any kind are asked for it.

    *number* is which one of its group in a run of many calls: of a producer its step, of a consumer its chunk, from 1 on. A call that is
    timed by itself has none: its sizes are those that the spec states.
    """

    study: Study
    group: str
    batch: int
    number: int | None = None

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


@dataclass(frozen=True, slots=True)
class TraceMemory:
    """An argument: null in what is timed; in a run that is looked at, the address of *words* 64-bit words, one place for all of a call."""

    words: int


class Word(Enum):
    """An argument of kernels that wait: a word that is not zero once they have to stop, eight words to say why, and a time limit in ns.

    The first of the eight is 1 where a wait took too long and 2 where the kernel was told to stop; the others are the workload's own.
    """

    STOP = "stop"
    DIAGNOSIS = "diagnosis"
    TIMEOUT_NS = "timeout_ns"


KernelArgument: TypeAlias = Buffer | Constant | Scratch | TraceMemory | Word | int | float | None
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

    def gave_up(self, diagnosis: Sequence[int], reason: int) -> bool:
        """Return whether the words say that a wait of this call was given up for *reason*, 1 or 2 as `Word` has them."""
        return diagnosis[0] == reason

    def span_ns(self, trace: NDArray[Any], launch: int) -> tuple[int, int] | None:
        """Return when the launch of this number began and ended by the *trace* of a run; None where kernels write none."""
        return None

    def miscounted(self, scratch: Arrays) -> str | None:
        """Return what is wrong with the scratch that a call left, in one line; None if nothing is."""
        return None


@dataclass(frozen=True, slots=True)
class LaunchSide:
    """A persistent launch of the entry of *contract* on *ctas* CTAs, which runs *calls*."""

    contract: Contract
    ctas: int
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class LaunchSet:
    """Persistent launches of a run: one, or *sides* beside each other whose calls may wait for those of the other on the device.

    All CTAs of one launch run the common calls of *streams*; then its first *x_ctas* CTAs run those of X, and the others those of Y. Of
    two launches, the first runs X and the second Y.
    """

    study: Study
    batch: int
    streams: Streams
    sides: tuple[LaunchSide, ...]
    x_ctas: int = 0

    def call(self, call: Call) -> AskedCall:
        """Return one of its calls, as it is asked for alone."""
        return AskedCall(self.study, call.group, self.batch, call.number)

    def __str__(self) -> str:
        return " beside ".join(f"{side.calls[0]} to {side.calls[-1]} in '{side.contract.entry}'" for side in self.sides)


class NotOffered(GpuError):
    """A workload does not offer what whole candidates or co-runs need of it; the message names what is missing."""


class UnclearInputs(GpuError):
    """Raised by a reference whose answer rounding alone could change: other inputs are drawn. The message says what is unclear."""
