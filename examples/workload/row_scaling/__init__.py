"""Rows divided by their root mean square, and averaged over steps, as a workload: copy it, and put your own kernels in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from megasolve.contracts import Contract, Study
from megasolve.gpu.workloads import Arrays, AskedCall, Buffer, KernelCode, LaunchSet, Scratch, StatedCall, StatedLaunch, Workload, cuda_code

X, GAIN, Y, Z = Buffer("x"), Buffer("gain"), Buffer("y"), Buffer("z")


class RowScaling(Workload):
    """The kernels of `kernels.cu` for the groups S and M; `steps`, `rows`, `columns` and `frames` are symbols of the spec."""

    def kernels(self, contract: Contract) -> KernelCode:
        """All kernels stand in one file; the contract's `source.symbol` says which is launched."""
        return cuda_code(contract, Path(__file__).with_name("kernels.cu"))

    def weights(self, study: Study, batch: int, seed: int) -> Arrays:
        """What all calls read and none writes."""
        columns = study.spec.value.symbols["columns"]
        return {"gain": np.random.default_rng(seed).uniform(0.5, 2, columns).astype(np.float32)}

    def start(self, study: Study, batch: int, seed: int) -> Arrays:
        """Random rows for every step, and NaN where the kernels must write. It makes whole candidates and co-runs possible."""
        symbols = study.spec.value.symbols
        shape = symbols["steps"], batch * symbols["rows"], symbols["columns"]
        x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
        return {"x": x, "y": np.full(shape, np.nan, np.float32), "z": np.full(shape[1:], np.nan, np.float32)}

    def inputs(self, call: AskedCall, seed: int) -> Arrays:
        """The same for a call that is timed by itself, for which nobody has computed what M reads."""
        arrays = self.start(call.study, call.batch, seed)
        return {**arrays, "y": arrays["x"]} if call.group == "M" else arrays

    def reference(self, call: AskedCall, arrays: Arrays) -> Arrays:
        """The same in float64, without kernels."""
        first, frames = _steps(call)
        y = arrays["y"].astype(np.float64)
        if call.group == "M":
            return {"z": y[first : first + frames].mean(axis=0)}
        x = arrays["x"][first].astype(np.float64)
        y[first] = x / np.sqrt((x * x).mean(axis=1, keepdims=True)) * arrays["gain"]
        return {"y": y}

    def launches(self, call: AskedCall, contracts: Sequence[Contract], ctas: int) -> StatedCall:
        """A block for each row, or *ctas* blocks that share a ticket, which is zero before each call."""
        contract, (first, frames), columns = contracts[0], _steps(call), call.symbols["columns"]
        rows = call.batch * call.symbols["rows"]
        name, arrays = ("mix_rows", (Y, Z)) if call.group == "M" else ("scale_rows", (X, GAIN, Y))
        arguments = (*arrays, first, frames, rows, columns)
        if contract.backend == "conventional":
            return StatedCall((StatedLaunch(name, rows, arguments, contract.entry),))
        return StatedCall((StatedLaunch(f"{name}_persistently", ctas, (*arguments, Scratch("ticket", 1)), contract.entry),))

    def composed(self, asked: LaunchSet) -> StatedCall:
        """The kernel of S goes on over the steps of one launch, which its contract says; any other launch is one call."""
        first, *more = asked.streams.calls
        if len(asked.sides) > 1 or any(call.group != "S" for call in (first, *more)):
            return super().composed(asked)
        (launch,) = self.launches(asked.call(first), (asked.sides[0].contract,), asked.sides[0].ctas).launches
        x, gain, y, step, _, *rest = launch.arguments
        return StatedCall((replace(launch, arguments=(x, gain, y, step, 1 + len(more), *rest)),))


WORKLOAD = RowScaling()


def _steps(call: AskedCall) -> tuple[int, int]:
    """The first step that a call is of, counted from 0, and how many: S is one step and M a chunk of frames, the first if timed alone."""
    frames = call.symbols["frames"] if call.group == "M" else 1
    return ((call.number or 1) - 1) * frames, frames
