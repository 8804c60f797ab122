"""A workload as everything here asks it: what it raises, and what it returns that cannot be, is one line with the place of its name."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts import Contract, Study

from ..compile.code import KernelCode
from ..errors import GpuError
from .calls import (
    Arrays,
    AskedCall,
    Buffer,
    Constant,
    LaunchSet,
    Scratch,
    StatedCall,
    StatedLaunch,
    TraceMemory,
    UnclearInputs,
    Word,
)
from .comparing import ArrayComparison
from .workload import Workload

_Value = TypeVar("_Value")
_MOST_TEXT = 300
_OURS = "megasolve."


class WorkloadFailed(GpuError):
    """A workload raises, or returns what cannot be; the message begins with the place of its name."""


@dataclass(frozen=True, slots=True)
class GuardedWorkload:
    """The *workload* that is called *name* at *place*. What our own workloads refuse passes as it is."""

    workload: Workload
    name: str
    place: str

    @property
    def runs_programs(self) -> bool:
        """Whether the kernels run the programs of contracts, and nothing without one."""
        return bool(self.workload.runs_programs)

    @property
    def composes(self) -> bool:
        """Whether it says what whole candidates and co-runs begin with."""
        return type(self.workload).start is not Workload.start

    @property
    def contracts_writer(self) -> str:
        """The command that writes its contracts; empty where there is none."""
        return self.workload.contracts_writer

    def require(self, study: Study, batch: int) -> None:
        """Refuse a study that the kernels are not made for."""
        self._asked("require", lambda: self.workload.require(study, batch))

    def kernels(self, contract: Contract) -> KernelCode:
        """Return what is compiled for *contract*."""
        code = self._asked("kernels", lambda: self.workload.kernels(contract))
        self._require("kernels", isinstance(code, KernelCode), f"a {type(code).__name__}, where a KernelCode is asked for")
        self._require("kernels", bool(code.symbols), "code without a symbol to launch")
        self._require("kernels", code.build.source in code.texts, f"no text of its source '{code.build.source}'")
        return code

    def weights(self, study: Study, batch: int, seed: int) -> Arrays:
        """Return what all calls read and none writes."""
        return self._arrays("weights", self._asked("weights", lambda: self.workload.weights(study, batch, seed)))

    def inputs(self, call: AskedCall, seed: int) -> Arrays:
        """Return all other arrays as they are before *call*."""
        return self._arrays("inputs", self._asked("inputs", lambda: self.workload.inputs(call, seed)))

    def reference(self, call: AskedCall, arrays: Arrays) -> Arrays:
        """Return what *call* must leave of *arrays*, which the reference gets as copies."""
        # A reference that computes in place would change the inputs that are uploaded.
        given = {name: array.copy() for name, array in arrays.items()}
        expected = self._arrays("reference", self._asked("reference", lambda: self.workload.reference(call, given)))
        self._require("reference", bool(expected), "no array, so nothing would be checked")
        for name, array in expected.items():
            self._require("reference", name in arrays, f"'{name}', which is none of {', '.join(arrays)}")
            shapes = arrays[name].shape, array.shape
            self._require("reference", shapes[0] == shapes[1], f"'{name}' of shape {shapes[1]}, where the inputs have {shapes[0]}")
        return expected

    def start(self, study: Study, batch: int, seed: int) -> Arrays:
        """Return all arrays but the weights before the first call of a run."""
        arrays = self._arrays("start", self._asked("start", lambda: self.workload.start(study, batch, seed)))
        self._require("start", bool(arrays), "no array, so nothing would be checked")
        return arrays

    def after(self, calls: Sequence[AskedCall], arrays: Arrays) -> Arrays:
        """Return all that *calls*, one after the other, must leave of *arrays*."""
        left: dict[str, NDArray[Any]] = dict(arrays)
        for call in calls:
            left |= self.reference(call, left)
        return left

    def launches(self, call: AskedCall, contracts: Sequence[Contract], ctas: int) -> StatedCall:
        """Return how *call* is launched."""
        return self._stated("launches", contracts, self._asked("launches", lambda: self.workload.launches(call, contracts, ctas)))

    def composed(self, asked: LaunchSet) -> StatedCall:
        """Return the persistent launches of a run, one for each side."""
        contracts = [side.contract for side in asked.sides]
        stated = self._stated("composed", contracts, self._asked("composed", lambda: self.workload.composed(asked)))
        entries = [contract.entry for contract in contracts]
        found = [launch.entry for launch in stated.launches]
        self._require("composed", found == entries, f"launches of {', '.join(found)}, where one each is asked for of {', '.join(entries)}")
        return stated

    def stuck(self, study: Study, batch: int, contract: Contract, ctas: int) -> StatedCall | None:
        """Return a launch that never ends by itself, if there is one."""
        found = self._asked("stuck", lambda: self.workload.stuck(study, batch, contract, ctas))
        return None if found is None else self._stated("stuck", (contract,), found)

    def compared(self, call: AskedCall, found: Arrays, expected: Arrays) -> ArrayComparison:
        """Return how far what a call left is from what it must leave."""
        return self._asked("compared", lambda: self.workload.compared(call, found, expected))

    def _stated(self, what: str, contracts: Sequence[Contract], stated: StatedCall) -> StatedCall:
        self._require(what, isinstance(stated, StatedCall), f"a {type(stated).__name__}, where a StatedCall is asked for")
        self._require(what, bool(stated.launches), "no launch")
        entries = {contract.entry for contract in contracts}
        for launch in stated.launches:
            for wrong in _wrong(launch, entries):
                self._require(what, False, wrong)
        return stated

    def _asked(self, what: str, ask: Callable[[], _Value]) -> _Value:
        try:
            return ask()
        # No failure of the workload: other inputs are drawn.
        except UnclearInputs:
            raise
        except GpuError as error:
            if self.name.startswith(_OURS):
                raise
            raise WorkloadFailed(f"{self.place}: workload '{self.name}': {error}") from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a package of somebody else does, the user hears of it in one line
            folder = str(Path(inspect.getfile(type(self.workload))).parent)
            raise WorkloadFailed(f"{self.place}: workload '{self.name}': {what}() raises {told(error, folder)}") from None

    def _arrays(self, what: str, arrays: object) -> Arrays:
        self._require(what, isinstance(arrays, Mapping), f"a {type(arrays).__name__}, where arrays by name are asked for")
        # For the type checker: what is none has been refused in the line above.
        assert isinstance(arrays, Mapping)
        for name, array in arrays.items():
            # Booleans, integers and floats: other kinds have no bytes that a kernel could read.
            is_array = isinstance(name, str) and isinstance(array, np.ndarray) and array.dtype.kind in "biuf"
            self._require(what, is_array, f"{name!r}, which is no array of numbers")
            self._require(what, array.size > 0, f"{name!r}, which is empty")
        return dict(arrays)

    def _require(self, what: str, is_met: bool, returned: str) -> None:
        if not is_met:
            raise WorkloadFailed(f"{self.place}: workload '{self.name}': {what}() returns {returned}")


def told(error: BaseException, folder: str) -> str:
    """Return *error* in one line, with the last place in a file of *folder* that led to it, or else where it was raised."""
    text = " ".join(str(error).split())[:_MOST_TEXT]
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(folder)] or frames
    where = f" ({own[-1].filename}:{own[-1].lineno})" if own else ""
    return f"{type(error).__name__}{f': {text}' if text else ''}{where}"


def _wrong(launch: object, entries: set[str]) -> list[str]:
    if not isinstance(launch, StatedLaunch):
        return [f"a {type(launch).__name__} among its launches, where a StatedLaunch is asked for"]
    found = []
    if launch.entry not in entries:
        found.append(f"a launch of entry '{launch.entry}', which is none of {', '.join(sorted(entries))}")
    # What a workload of somebody else returns may be anything, whatever its annotations say.
    grid: object = launch.grid_ctas
    if not isinstance(grid, int) or grid < 1:
        found.append(f"a launch of {launch.symbol} on {launch.grid_ctas!r} CTAs")
    arguments: Sequence[object] = (*launch.arguments, *(launch.idle or ()))
    strange = [one for one in arguments if not isinstance(one, Buffer | Constant | Scratch | TraceMemory | Word | int | float | None)]
    return [*found, *(f"a launch of {launch.symbol} with an argument of type {type(one).__name__}" for one in strange[:1])]
